"""From a value to its text."""

from json.encoder import encode_basestring

from arc_core.events import ReasoningDelta, TextDelta
from arc_core.forms.json_text import dump, name_place
from arc_core.forms.table import find_form

VERSION = 1
"""The version in `v`; it rises when an old reader would misread a text."""

_PIECES: dict[type, str] = {TextDelta: "text_delta", ReasoningDelta: "reasoning_delta"}
_MAX_PLAIN_SEQ = 10**15


def to_json(value: object) -> str:
    """The JSON form of a command, a message, a part, an event or a result.

    Compact, on one line, in characters that any UTF-8 text may hold. `from_json` gives back an
    equal value, but for what JSON cannot carry unchanged: it is left out of `metadata` of a result
    and of `vendor_content`; `output` becomes the JSON that pydantic makes of it, or None.

    Raises:
        FormError: The value has no form, or holds what JSON cannot carry elsewhere, as `metadata`
            of a command may; names the place.
    """
    if type(value) is TextDelta or type(value) is ReasoningDelta:
        piece = _write_piece(value)
        if piece is not None:
            return piece
    with name_place():
        return dump({"v": VERSION, **find_form(value).write(value)})


def _write_piece(piece: TextDelta | ReasoningDelta) -> str | None:
    """The same text without the table, since most events are pieces; None if it is not plain."""
    tag, text, run_id, seq = _PIECES[type(piece)], piece.text, piece.run_id, piece.seq
    if not (type(text) is str and run_id and type(run_id) is str and type(seq) is int):
        return None
    if not 0 < seq < _MAX_PLAIN_SEQ:
        return None
    written = (
        f'{{"v":{VERSION},"type":"{tag}","text":{encode_basestring(text)},'
        f'"run_id":{encode_basestring(run_id)},"seq":{seq}}}'
    )
    if written.isascii():
        return written
    try:
        written.encode()
    except UnicodeEncodeError:
        return None
    return written
