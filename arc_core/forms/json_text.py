"""JSON text and the values in it: compact, and strict where JSON itself leaves a choice.

Python's own module is used, since it keeps the order of keys, big integers, and both halves of
surrogate pairs that stand alone.
"""

import json
from collections.abc import Sequence
from typing import Any, NoReturn

from arc_core.forms.flaws import Flaw, show

__all__ = ["RepeatedKey", "dump", "is_carried", "load", "write_text"]

_WRITE = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False)
_WRITE_ESCAPED = json.JSONEncoder(separators=(",", ":"), allow_nan=False)
_WRITE_AGAIN = "write the text again with arc_core.forms.to_json"


class RepeatedKey(dict[str, Any]):
    """An object with a key that stands in it twice.

    Attributes:
        key: The first one.
    """

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


def write_text(text: str) -> str:
    """A text as JSON, as `dump` writes it if it can be encoded as UTF-8."""
    return _WRITE.encode(text)


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
