"""The slow path of generated merge functions, for values not exactly of the expected type.

The fast path is in the generated code; what stands here accepts what fits after all, such as a
subclass, and names the place and the remedy for what does not.
"""

import copy
import math
import operator
from collections.abc import Callable, Iterator
from numbers import Integral
from typing import Any, Literal, NoReturn

from arc_core.assembly.errors import FieldPlace
from arc_core.assembly.plan import JoinPieces, MergeWith


def check_instance(value: object, expected: type, place: FieldPlace) -> None:
    """Accept subclasses."""
    if not isinstance(value, expected):
        raise place.error(
            f"expected {expected.__name__}",
            f"Every delta has to be an instance of {expected.__name__} here.",
            type(value),
        )


def to_sequence(value: object, place: FieldPlace) -> list[Any] | tuple[Any, ...]:
    """Accept lists and tuples, whichever is declared."""
    if isinstance(value, list | tuple):
        return value
    raise place.error("expected a list", "Pass the items in a list or a tuple.", type(value))


def to_pieces(value: object, strategy: JoinPieces, place: FieldPlace) -> Any:
    """Accept subclasses, and what the strategy's `coerce` makes text of."""
    if isinstance(value, strategy.kind):
        return value
    if strategy.coerce is not None:
        text = _call(strategy.coerce, (value,), place)
        if isinstance(text, str):
            return text
        raise place.error("coerce has to return str", "Return text in all cases.", type(text))
    raise place.error(
        f"expected {strategy.kind.__name__}, which is appended",
        "Send text, or pass StreamAppend(coerce=…), which makes text of it.",
        type(value),
    )


def merge_value(  # noqa: PLR0917 -- called by generated code
    accumulated: Any, value: Any, strategy: MergeWith, place: FieldPlace
) -> Any:
    """Fold `value` with the user's function; the first value is copied instead."""
    if accumulated is None:
        return _call(copy.deepcopy, (value,), place)
    return _call(strategy.function, (accumulated, value), place)


def _call(function: Callable[..., Any], arguments: tuple[Any, ...], place: FieldPlace) -> Any:
    try:
        return function(*arguments)
    except Exception as error:  # what a marker carries is the user's code
        name = getattr(function, "__name__", type(function).__name__)
        raise place.error(
            f"{name} raised {type(error).__name__}",
            "It has to accept every value this field can have; see the cause.",
            type(arguments[-1]),
        ) from error


def refuse_depth(place: FieldPlace, max_depth: int) -> NoReturn:
    """Refuse an object that lies deeper than an assembler goes."""
    raise place.error(
        f"the objects are nested deeper than max_depth={max_depth}",
        "Raise max_depth if the data is sound.",
    )


_index_of = operator.itemgetter(0)


class IndexedItems:
    """States of items, found by index and by identity."""

    __slots__ = (
        "_anonymous",
        "_begun",
        "_last_index",
        "_missing",
        "_new_state",
        "by_identity",
        "by_index",
    )

    def __init__(
        self, new_state: Callable[[], Any], missing: Literal["error", "append", "continue"]
    ) -> None:
        self.by_index: dict[Any, Any] = {}
        self.by_identity: dict[Any, Any] = {}
        self._new_state = new_state
        self._missing = missing
        self._begun: list[tuple[float, Any]] = []
        self._anonymous: set[float] = set()
        self._last_index: float = -math.inf

    def find(self, index: Any, identity: object, place: FieldPlace) -> Any:
        """The item of a fragment that is in neither table, or a new one.

        A new identity with the index of an item that has none becomes that item's.
        """
        if index is None:
            return self._find_without_index(identity, place)
        if not _is_whole(index):
            raise place.error(
                "an index is a whole number", "Correct it where the delta is made.", type(index)
            )
        if identity not in {None, ""} and index in self._anonymous:
            self._anonymous.remove(index)
            state = self.by_identity[identity] = self.by_index[index]
            return state
        return self._begin(index, identity)

    def _find_without_index(self, identity: object, place: FieldPlace) -> Any:
        if identity not in {None, ""} or self._missing == "append":
            return self._begin(None, identity)
        if self._missing == "continue":
            return self._begun[-1][1] if self._begun else self._begin(None, None)
        raise place.error(
            "an item without an index has no place in its list",
            'Give every item its index, or mark the list StreamIndexedList(missing="append").',
            type(None),
        )

    def _begin(self, index: float | None, identity: object) -> Any:
        state = self._new_state()
        anonymous = identity in {None, ""}
        if not anonymous:
            self.by_identity[identity] = state
        if index is not None:
            self.by_index[index] = state
            (self._anonymous.add if anonymous else self._anonymous.discard)(index)
            self._last_index = max(self._last_index, index)
        self._begun.append((self._last_index if index is None else index, state))
        return state

    def in_order(self) -> Iterator[Any]:
        """The items by index; those of one index in the order they began.

        An item without an index stands behind all that began before it.
        """
        return (state for _, state in sorted(self._begun, key=_index_of))


def _is_whole(index: object) -> bool:
    """True if a value is a whole number, as 1, True and 1.0 are, which are one index."""
    return isinstance(index, Integral) or (isinstance(index, float) and index.is_integer())
