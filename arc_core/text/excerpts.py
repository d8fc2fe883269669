"""Parts of long texts, each with a line that says which part it is and how the rest is read.

A place in a text is written as `line` or `line:character`, both from 1 on.
"""

import re
from dataclasses import dataclass

READ_RESULT = "read_result"
"""The name of the tool that reads results of a run again."""

_LINE_CHARS = 260
"""The room that is kept for the line that names a part."""

_SUGGESTED_LINES = 200
_RANGE = re.compile(r"(\d{1,12})(?::(\d{1,12}))?(?:-(\d{1,12}))?\Z")
_KEY, _PLACE, _NUMBER = r"tool/\d{1,9}", r"[\d:-]{1,40}", r"[\d ]{1,13}"
_NAMED = re.compile(
    rf"\[(?P<key>{_KEY}): (?P<said>(?:the first )?{_NUMBER} characters, {_NUMBER} lines?"
    r"(?: of more)?; (?:left out to make room|nothing of it is shown|(?:lines|characters) "
    rf"1-{_NUMBER} and (?:characters )?{_NUMBER}-{_NUMBER} are shown)); "
    rf'{READ_RESULT}\("(?P=key)", lines="{_PLACE}"\)'
    rf' or {READ_RESULT}\("(?P=key)", find="words"\)\]'
)
_LINES_OF = re.compile(rf"^\[{_KEY}, (lines {_PLACE} of {_NUMBER})\]$", re.MULTILINE)
_GOES_ON = re.compile(rf'^\[goes on: {READ_RESULT}\("{_KEY}", lines="{_PLACE}"\)\]$', re.MULTILINE)
_FOUND_IN = re.compile(rf"^\[(none of these words is in )?{_KEY}\]$", re.MULTILINE)
_LISTED = re.compile(
    rf"; there are: {_KEY}(?:, {_KEY})*(?:, and \d+ before them)?; "
    r'"all" finds words in all of them'
)
_SIGNS_BETWEEN_DIGITS = str.maketrans({" ": "", ",": "", "_": "", "–": "-", "\u202f": ""})


@dataclass(frozen=True, slots=True, kw_only=True)
class TextExcerpt:
    """The beginning and the end of a text, of so many characters, with a line between them."""

    text: str
    head_chars: int
    tail_chars: int


def show_number(number: int) -> str:
    """Return a number with a blank between thousands."""
    return f"{number:,}".replace(",", " ")


def make_excerpt(text: str, *, key: str, max_chars: int, is_cut: bool = False) -> TextExcerpt:
    """Return two thirds of the room from the beginning of a long text, and one from its end.

    The line takes more if there is little room, half of which is text then.
    """
    room = max(max_chars - _LINE_CHARS, max_chars // 2)
    head = _end_of_head(text, room * 2 // 3)
    tail = _begin_of_tail(text, room - room * 2 // 3)
    lines = text.count("\n", 0, head)
    if head == 0:
        visible, more = "nothing of it is shown", _suggest(text)
    else:
        next_tail_line = text.count("\n", 0, tail) + 1
        visible = f"{_name_head(text, head)} and {_name_tail(text, tail)} are shown"
        if text[head - 1] == "\n":
            last = max(lines + 1, min(2 * lines, next_tail_line - 1))
            more = f"{lines + 1}-{last}"
        else:
            more = f"{lines + 1}:{head - text.rfind(chr(10), 0, head)}-{lines + 1}"
    line = f"[{_measure(text, key, is_cut=is_cut)}; {visible}; {_name_calls(key, more)}]"
    before = "" if head == 0 or text[head - 1] == "\n" else "\n"
    after = "\n" if tail < len(text) else ""
    return TextExcerpt(
        text=f"{text[:head]}{before}{line}{after}{text[tail:]}",
        head_chars=head,
        tail_chars=len(text) - tail,
    )


def make_placeholder(text: str, *, key: str, is_cut: bool = False) -> str:
    """Return the line that stands in the place of a whole text."""
    calls = _name_calls(key, _suggest(text))
    return f"[{_measure(text, key, is_cut=is_cut)}; left out to make room; {calls}]"


def strip_keys(text: str, *, is_reading: bool) -> str:
    """Return a result of an earlier run without its keys, which mean other results in any other.

    A result that is itself a reading of another one has them in other places.
    """
    if not is_reading:
        return _NAMED.sub(r"[\g<said>]", text) if READ_RESULT in text else text
    text, count = _LINES_OF.subn(r"[\1]", text, count=1)
    if count:
        return _GOES_ON.sub("[goes on]", text)
    return _LISTED.sub("", _FOUND_IN.sub(_name_found, text))


def _name_found(found: re.Match[str]) -> str:
    return f"[{found[1] or ''}a result]"


def read_lines(text: str, *, key: str, lines: str, max_chars: int) -> str:
    """Return the lines of a range, or as much of them as there is room for.

    A range is `a-b` or `a`, counted from 1, both inclusive; `a:c-b` begins at a character.

    Raises:
        ValueError: It is no such range, or not in the text; says so for the model.
    """
    total = count_lines(text)
    first, column, last = _parse_range(lines, key=key, total=total)
    begin = _start_of_line(text, first) + column - 1
    end = _start_of_line(text, last + 1) if last < total else len(text)
    if begin > end or (begin == end and column > 1):
        raise ValueError(f"line {first} of {key} has no character {column}")
    room = max(1, max_chars - _LINE_CHARS)
    goes_on = ""
    if end - begin > room:
        cut = text.rfind("\n", begin, begin + room) + 1
        end = cut if cut > begin + room // 2 else begin + room
        goes_on = f'\n[goes on: {READ_RESULT}("{key}", lines="{_name_place(text, end)}-{last}")]'
    part = text[begin:end].removesuffix("\n")
    shown_last = first + text.count("\n", begin, max(begin, end - 1))
    return f"[{key}, lines {first}-{shown_last} of {show_number(total)}]\n{part}{goes_on}"


def count_lines(text: str) -> int:
    """Return the number of lines; the end of a text ends its last line."""
    return text.count("\n") + (not text.endswith("\n") if text else 0)


def _parse_range(lines: str, *, key: str, total: int) -> tuple[int, int, int]:
    found = _RANGE.match(lines.strip().translate(_SIGNS_BETWEEN_DIGITS))
    if found is None:
        raise ValueError('`lines` is written as "a-b", such as lines="1-100"')
    first, last = int(found[1]), int(found[3] or found[1])
    if first < 1 or first > total:
        raise ValueError(f"{key} has the lines 1 to {total}, and no line {first}")
    if last < first:
        raise ValueError(f'the lines run backwards: write lines="{last}-{first}"')
    return first, max(1, int(found[2] or 1)), min(last, total)


def _start_of_line(text: str, number: int) -> int:
    at = 0
    for _ in range(number - 1):
        at = text.find("\n", at) + 1
    return at


def _name_place(text: str, at: int) -> str:
    line, column = text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)
    return str(line) if column == 1 else f"{line}:{column}"


def _end_of_head(text: str, room: int) -> int:
    end = text.rfind("\n", 0, room) + 1
    return end if end > room // 2 else room


def _begin_of_tail(text: str, room: int) -> int:
    begin = len(text) - room
    line = text.find("\n", max(0, begin - 1), begin + room // 2) + 1
    return line or begin


def _name_head(text: str, end: int) -> str:
    if text[end - 1] == "\n":
        return f"lines 1-{show_number(text.count(chr(10), 0, end))}"
    return f"characters 1-{show_number(end)}"


def _name_tail(text: str, begin: int) -> str:
    if text[begin - 1] == "\n":
        first = text.count("\n", 0, begin) + 1
        return f"{show_number(first)}-{show_number(count_lines(text))}"
    return f"characters {show_number(begin + 1)}-{show_number(len(text))}"


def _measure(text: str, key: str, *, is_cut: bool) -> str:
    lines = count_lines(text)
    size = f"{show_number(len(text))} characters, {show_number(lines)} line{'s' * (lines != 1)}"
    return f"{key}: the first {size} of more" if is_cut else f"{key}: {size}"


def _suggest(text: str) -> str:
    return f"1-{min(count_lines(text), _SUGGESTED_LINES)}"


def _name_calls(key: str, lines: str) -> str:
    return f'{READ_RESULT}("{key}", lines="{lines}") or {READ_RESULT}("{key}", find="words")'
