"""Text on its way out: what has left, and what is held back until more is known."""

from unicodedata import category

from arc_core.text.cleaning import end_to_show, is_shown_as_it_is, show

__all__ = ["HeldText"]

_MAX_MARKS = 32
_GROWS_BY = 8


class HeldText:
    """A text that comes in pieces and leaves in pieces, `window_chars` characters behind.

    Those are characters that a reader sees: invisible and escaped ones hide nothing from guards.

    If what guards replace reaches into the characters that are held back, the text from where they
    begin to replace is held back, too. Guards are then asked again only after it has grown by an
    eighth, so that a long one costs time with its length and not with the square of it.

    Args:
        window_chars: How many characters at the end are held back; None is all of them.
        context: The end of what has left before, which guards see as well.
        context_chars: How long that may become, in characters that a reader sees.
    """

    def __init__(self, window_chars: int | None, *, context: str = "", context_chars: int) -> None:
        self._window_chars = window_chars
        self._before = self._end = end_to_show(context, context_chars)
        self._recent = context
        self._context_chars = context_chars
        self._pieces: list[str] = []
        self._length = 0
        self._left: list[str] = []
        self._ask_from = 0

    @property
    def before(self) -> str:
        """What had left before this text, as much as guards see."""
        return self._before

    @property
    def left(self) -> str:
        """All that has left."""
        return "".join(self._left)

    @property
    def end(self) -> str:
        """The end of what has left, with what had left before it; as much as guards see."""
        return self._end

    @property
    def is_due(self) -> bool:
        """Whether something could leave, so that guards are to be asked."""
        window, length = self._window_chars, self._length
        return window is not None and length > window and length >= self._ask_from

    @property
    def has_left(self) -> bool:
        """Whether any of it has left."""
        return bool(self._left)

    @property
    def is_empty(self) -> bool:
        """Whether nothing has come."""
        return not self._length and not self._left

    def add(self, piece: str) -> None:
        """Hold a piece."""
        self._pieces.append(piece)
        self._length += len(piece)

    def to_check(self, *, is_final: bool) -> tuple[str, int]:
        """What guards are shown, and how many characters at its beginning have left already.

        At the end that is all of the text.
        """
        left = self._before + self.left if is_final else self.end
        return left + self._held, len(left)

    def release(self, checked: str) -> str:
        """What leaves of a text that goes on.

        Args:
            checked: What guards have made of the text that `to_check` has shown.
        """
        held, window = self._held, self._window_chars
        assert window is not None
        body = checked[len(self.end) :]
        cut = _cut_at(held, _begin_of_window(held, window))
        tail = held[cut:]
        self._ask_from = 0
        if body.endswith(tail):
            return self._let_leave(body[: len(body) - len(tail)], rest=tail)
        kept = _cut_at(held, min(cut, _common_chars(held, body)))
        self._ask_from = len(held) - kept + max(1, (len(held) - kept) // _GROWS_BY)
        return self._let_leave(held[:kept], rest=held[kept:])

    def finish(self, checked: str) -> str:
        """What leaves at the end, of what guards have made of the whole text."""
        return self._let_leave(checked[len(self._before + self.left) :], rest="")

    @property
    def _held(self) -> str:
        if len(self._pieces) != 1:
            self._pieces = ["".join(self._pieces)]
        return self._pieces[0]

    def _let_leave(self, text: str, *, rest: str) -> str:
        self._pieces, self._length = [rest], len(rest)
        if text:
            self._left.append(text)
            if self._context_chars:
                self._recent = end_to_show(
                    self._recent + text, self._context_chars, is_longest=True
                )
                self._end = end_to_show(self._recent, self._context_chars)
        return text


def _begin_of_window(text: str, chars: int) -> int:
    """Where the last characters begin that a reader sees; what is escaped takes more room."""
    if chars == 0 or is_shown_as_it_is(text):
        return len(text) - chars
    shown = show(text, is_final=False)
    begin, _ = shown.span(max(0, len(shown.text) - chars), len(shown.text))
    return min(begin, len(text) - chars)


def _common_chars(one: str, other: str) -> int:
    least, most = 0, min(len(one), len(other))
    while least < most:  # halves, since a comparison of slices takes less than one of characters
        middle = (least + most + 1) // 2
        if one[least:middle] == other[least:middle]:
            least = middle
        else:
            most = middle - 1
    return least


def _cut_at(text: str, place: int) -> int:
    """The last place up to this one at which no character is parted from its marks."""
    first = max(0, place - _MAX_MARKS)
    for each in range(max(0, place), first, -1):
        if each >= len(text) or not _belong_together(text[each - 1], text[each]):
            return each
    return first


def _belong_together(one: str, other: str) -> bool:
    if one.isascii() and other.isascii():
        return False
    if one == "\u200d" or other == "\u200d" or "\U0001f3fb" <= other <= "\U0001f3ff":
        return True
    if "\ud800" <= one <= "\udbff" or "\udc00" <= other <= "\udfff":
        return True  # halves of a pair, as a vendor may send them apart
    return category(other).startswith("M")
