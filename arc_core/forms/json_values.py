"""Values that are JSON already, such as metadata, schemas and what a vendor wants back.

JSON carries them unchanged if they are made of dict, list, str, int, float, bool and None alone:
it would make lists of tuples, and texts of keys that are numbers.
"""

from math import isfinite
from typing import Any

from arc_core.forms.flaws import Flaw, show
from arc_core.forms.json_text import RepeatedKey, is_carried

__all__ = ["check_json", "is_json"]

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
    if type(value) is list:
        items: Any = enumerate(value)
    elif type(value) is dict:
        items = value.items()
    else:
        raise Flaw(f"JSON would change this {type(value).__name__}", remedy=_PLAIN)
    for step, item in items:
        try:
            if type(value) is dict:
                _check_key(step)
            check_json(item, levels=levels - 1)
        except Flaw as flaw:
            raise flaw.within(step if isinstance(step, int) else str(step)) from None


def _check_key(key: object) -> None:
    if type(key) is not str or not is_carried(key):
        raise Flaw(f"JSON would change the key {show(key)}", remedy="use texts as keys")
