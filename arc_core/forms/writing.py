"""From a value to its text."""

from arc_core.forms.flaws import name_place
from arc_core.forms.json_text import dump
from arc_core.forms.table import form_of

__all__ = ["VERSION", "to_json"]

VERSION = 1
"""What stands in `v`; another one when an old reader would take a text for what it is not."""


def to_json(value: object) -> str:
    """The JSON form of a command, a message, a part, an event or a result.

    Compact, on one line, in characters that any UTF-8 text may hold. `from_json` gives back an
    equal value, but for what JSON cannot carry unchanged: it is left out of `metadata` of a result
    and of `vendor_content`; `output` becomes the JSON that pydantic makes of it, or None.

    Raises:
        FormError: The value has no form, or holds what JSON cannot carry elsewhere, as `metadata`
            of a command may; names the place.
    """
    with name_place():
        return dump({"v": VERSION, **form_of(value).write(value)})
