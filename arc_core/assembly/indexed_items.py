"""The items of one indexed list while it is assembled."""

import math
import operator
from collections.abc import Callable, Iterator
from numbers import Integral
from typing import Any, Literal

from arc_core.assembly.errors import Place

__all__ = ["IndexedItems"]

_index_of = operator.itemgetter(0)


class IndexedItems:
    """States of items, found by index and by identity.

    Args:
        new_state: Makes the state of an item.
        missing: What a fragment is that has neither index nor identity, as in `StreamIndexedList`.

    Attributes:
        by_index: The item that a fragment of this index continues.
        by_identity: The item of this identity.
    """

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

    def find(self, index: Any, identity: object, place: Place) -> Any:
        """The item of a fragment that is in neither table.

        A new identity with the index of an item that has none becomes that item's.

        Args:
            index: The fragment's index, or None.
            identity: Its identity; None or empty when it has none.
            place: The index field.

        Raises:
            AssemblyError: The index is missing and must not be, or is not a whole number.
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

    def _find_without_index(self, identity: object, place: Place) -> Any:
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
    """Whether a value is a whole number, as 1, True and 1.0 are, which are one index."""
    return isinstance(index, Integral) or (isinstance(index, float) and index.is_integer())
