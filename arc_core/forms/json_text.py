"""JSON text and the values in it, strict where JSON leaves a choice, and flaws with their place.

Python's own module is used, since it keeps the order of keys, big integers, and both halves of
surrogate pairs that stand alone.
"""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from math import isfinite
from typing import Any, NoReturn

from arc_core.error_base import FormError

_MAX_SHOWN_CHARS = 60
_MAX_PLACE_CHARS = 200


class Flaw(Exception):  # noqa: N818 -- becomes a FormError as soon as its place is whole
    """Something that cannot be written or read."""

    def __init__(self, problem: str, *, remedy: str) -> None:
        super().__init__(problem)
        self.problem, self.remedy = problem, remedy
        self._steps: list[str | int] = []

    def within(self, step: str | int) -> "Flaw":
        """The flaw, seen from the object or the array in which it stands."""
        self._steps.append(step)
        return self

    @property
    def place(self) -> str:
        """As in `$.messages[2].content`; cut if it is long."""
        place = "$" + "".join(map(_step, reversed(self._steps)))
        return place if len(place) <= _MAX_PLACE_CHARS else f"{place[:_MAX_PLACE_CHARS]}…"


@contextmanager
def name_place() -> Iterator[None]:
    """Turn a flaw into a `FormError` with its whole place."""
    try:
        yield
    except Flaw as flaw:
        raise FormError(flaw.problem, place=flaw.place, remedy=flaw.remedy) from flaw.__cause__


@contextmanager
def name_place_within(outer: str) -> Iterator[None]:
    """Name the place of what is read inside by that of what it stands in.

    Args:
        outer: Stands for the `$` in the places of the body's errors.
    """
    try:
        yield
    except FormError as error:
        place = error.place.replace("$", outer, 1)
        raise FormError(error.problem, place=place, remedy=error.remedy) from None


def show(name: object) -> str:
    """A name for people; its beginning if it is long."""
    shown = repr(name)
    return shown if len(shown) <= _MAX_SHOWN_CHARS else f"{shown[:_MAX_SHOWN_CHARS]}…"


def _step(step: str | int) -> str:
    if isinstance(step, str) and step.isidentifier() and len(step) <= _MAX_SHOWN_CHARS:
        return f".{step}"
    return f"[{show(step)}]"


_WRITE = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False)
_WRITE_ESCAPED = json.JSONEncoder(separators=(",", ":"), allow_nan=False)
_WRITE_AGAIN = "write the text again with arc_core.forms.to_json"


class RepeatedKey(dict[str, Any]):
    """An object with a key that stands in it twice; of several, the first."""

    def __init__(self, pairs: Sequence[tuple[str, Any]]) -> None:
        super().__init__(pairs)
        names = [name for name, _ in pairs]
        self.key = next(name for name in names if names.count(name) > 1)


def dump(value: object) -> str:
    """Compact JSON that can be encoded as UTF-8 and holds no null character."""
    text = _WRITE.encode(value)
    try:
        text.encode()
    except UnicodeEncodeError:  # half a surrogate pair, which only an escape can carry
        return _WRITE_ESCAPED.encode(value)
    return text


def load(text: str) -> Any:
    """The value of a JSON text; an object with a key that stands in it twice is a `RepeatedKey`.

    Raises:
        Flaw: It is not JSON, or is cut off, or is nested more deeply than can be read.
    """
    try:
        return _READ.decode(text)
    except json.JSONDecodeError as error:
        raise Flaw(
            f"it is not JSON, or is cut off, at character {error.pos} of {len(text)}",
            remedy="read it from where it was written",
        ) from None  # the cause holds the whole text
    except RecursionError:
        raise Flaw("it is nested too deeply to be read", remedy=_WRITE_AGAIN) from None
    except ValueError as error:
        if isinstance(error, _NotANumberError):
            raise Flaw(str(error), remedy=_WRITE_AGAIN) from None
        raise Flaw("a number in it is too long", remedy=_WRITE_AGAIN) from None


def is_carried(text: str) -> bool:
    """Say whether JSON gives a text back as it is.

    It has one escape for a character and for the two halves of its surrogate pair.
    """
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass") == text
    return True


class _NotANumberError(ValueError):
    """NaN or an infinity, which Python reads and JSON does not have."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    return found if len(found) == len(pairs) else RepeatedKey(pairs)


def _refuse(name: str) -> NoReturn:
    raise _NotANumberError(f"{show(name)} is not JSON")


_READ = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_refuse)


_MAX_LEVELS = 64
_MAX_INT_BITS = 14_000  # Python reads 4300 digits and no more
_PLAIN = "use dict, list, str, int, float, bool and None alone"


def is_json(value: object) -> bool:
    """Say whether JSON carries a value unchanged."""
    try:
        check_json(value)
    except Flaw:
        return False
    return True


def check_json(value: object, *, levels: int = _MAX_LEVELS) -> None:
    """Let values pass that JSON carries unchanged, and that are nested in at most 64 levels.

    They are made of dict, list, str, int, float, bool and None alone: JSON would make lists of
    tuples, and texts of keys that are numbers.

    Raises:
        Flaw: The value is not one of these.
    """
    match value:
        case dict() | list():
            _check_inside(value, levels=levels)
        case str() if type(value) is str:
            if not is_carried(value):
                raise Flaw("JSON would join two halves of a surrogate pair", remedy="repair it")
        case float() if type(value) is float:
            if not isfinite(value):
                raise Flaw(f"{value} is not a number of JSON", remedy="use a finite number")
        case int() if type(value) is int:
            if value.bit_length() > _MAX_INT_BITS:
                raise Flaw("the number is too long", remedy="use a text")
        case bool() | None:
            pass
        case _:
            raise Flaw(f"JSON would change this {type(value).__name__}", remedy=_PLAIN)


def _check_inside(value: dict[Any, Any] | list[Any], *, levels: int) -> None:
    if not levels:
        raise Flaw(f"it is nested in more than {_MAX_LEVELS} levels", remedy="make it flatter")
    if isinstance(value, RepeatedKey):
        raise Flaw(f"the key {show(value.key)} stands in it twice", remedy="remove one of them")
    if type(value) not in {list, dict}:
        raise Flaw(f"JSON would change this {type(value).__name__}", remedy=_PLAIN)
    for step, item in value.items() if isinstance(value, dict) else enumerate(value):
        try:
            if type(value) is dict:
                _check_key(step)
            check_json(item, levels=levels - 1)
        except Flaw as flaw:
            raise flaw.within(step if isinstance(step, int) else str(step)) from None


def _check_key(key: object) -> None:
    if type(key) is not str or not is_carried(key):
        raise Flaw(f"JSON would change the key {show(key)}", remedy="use texts as keys")
