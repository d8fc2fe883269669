"""Folds letters that stand in for Latin ones, and leaves honest Russian or Greek alone.

A prompt disguises words if a look-alike stands before a Latin letter that no other alphabet has
(`іgnоrе`), or next to any Latin letter in a text without one letter that is not a look-alike, or if
letters of phoneticians make a word (`ɪɢɴᴏʀᴇ`). Then all its words made of Latin letters and
look-alikes only are folded. A Russian who writes `JSONа`
or asks for `сахар` disguises nothing.
"""

import re

_LOOKALIKES = {
    # Cyrillic
    "а": "a", "е": "e", "о": "o", "р": "p", "с": "c", "у": "y", "х": "x", "і": "i", "ј": "j",
    "ѕ": "s", "к": "k", "һ": "h", "ԁ": "d", "ԛ": "q", "ԝ": "w", "ӏ": "l", "ѵ": "v", "г": "r",
    "А": "A", "В": "B", "Е": "E", "К": "K", "М": "M", "Н": "H", "О": "O", "Р": "P", "С": "C",
    "Т": "T", "У": "Y", "Х": "X", "І": "I", "Ј": "J", "Ѕ": "S", "Ԁ": "D", "Ԍ": "G", "Ԛ": "Q",
    "Ԝ": "W", "Ӏ": "I", "Ѵ": "V",
    # Greek
    "α": "a", "ε": "e", "ι": "i", "κ": "k", "ν": "v", "ο": "o", "ρ": "p", "τ": "t", "υ": "u",
    "χ": "x", "ϲ": "c", "ϳ": "j", "Α": "A", "Β": "B", "Ε": "E", "Ζ": "Z", "Η": "H", "Ι": "I",
    "Κ": "K", "Μ": "M", "Ν": "N", "Ο": "O", "Ρ": "P", "Τ": "T", "Υ": "Y", "Χ": "X", "Ϲ": "C",
    # Armenian
    "օ": "o", "ո": "n", "ս": "u", "հ": "h", "ց": "g", "զ": "q", "ա": "w", "յ": "j", "ք": "p",
    "Օ": "O", "Տ": "S", "Ս": "U", "Լ": "L",
    # Cherokee
    "Ꭺ": "A", "Ᏼ": "B", "Ꮯ": "C", "Ꭰ": "D", "Ꭼ": "E", "Ꮐ": "G", "Ꮋ": "H", "Ꮖ": "I", "Ꭻ": "J",
    "Ꮶ": "K", "Ꮮ": "L", "Ꮇ": "M", "Ꮲ": "P", "Ꮢ": "R", "Ꮪ": "S", "Ꭲ": "T", "Ꮩ": "V", "Ꮃ": "W",
    "Ꮓ": "Z",
}  # fmt: skip
_PHONETIC = {
    "ɑ": "a", "ʙ": "b", "ɡ": "g", "ɢ": "g", "ʜ": "h", "ɩ": "i", "ɪ": "i", "ʟ": "l", "ɴ": "n",
    "ʀ": "r", "ʏ": "y", "ᴀ": "a", "ᴄ": "c", "ᴅ": "d", "ᴇ": "e", "ᴊ": "j", "ᴋ": "k", "ᴍ": "m",
    "ᴏ": "o", "ᴘ": "p", "ᴛ": "t", "ᴜ": "u", "ᴠ": "v", "ᴡ": "w", "ᴢ": "z", "ꜱ": "s", "ꜰ": "f",
}  # fmt: skip
LATIN_LETTERS = _LOOKALIKES | _PHONETIC
"""The Latin letter of each look-alike."""

_TABLE = str.maketrans(LATIN_LETTERS)
_STAND_INS = "".join(_LOOKALIKES)
_CLASS = "".join(_LOOKALIKES | _PHONETIC)

LOOKALIKE = re.compile(f"[{_CLASS}]")
"""Any letter that stands in for a Latin one."""

_BEFORE_LATIN = re.compile(f"[{_STAND_INS}](?=[bdfghjklmnqrstuvwzDFGJLNQRSUVWZ])")
_BESIDE_LATIN = re.compile(f"[{_STAND_INS}](?:(?<=[A-Za-z].)|(?=[A-Za-z]))")
_SMALL_CAPITALS = re.compile(f"[{''.join(_PHONETIC)}]{{4}}")
_FOREIGN = re.compile(f"(?![{_CLASS}])[\u0370-\u03ff\u0400-\u052f\u0531-\u0587\u13a0-\u13ff]")
_LETTER = r"[^\W\d_]"
_FOLDABLE_WORD = re.compile(f"(?<!{_LETTER})[A-Za-z\u00c0-\u024f{_CLASS}]+(?!{_LETTER})")


class LookalikeFolder:
    """Folds the disguised words of a text in parts, after a look at each of them.

    Each part is normalised to NFKC, and no word is in two of them. Time grows with the length only.
    """

    def __init__(self) -> None:
        self._is_disguise = self._is_beside_latin = self._is_foreign = False

    def look_at(self, part: str) -> None:
        """Look for disguises, and for letters of honest text."""
        if part.isascii():
            return
        self._is_foreign = self._is_foreign or _FOREIGN.search(part) is not None
        if LOOKALIKE.search(part) is not None:
            is_disguise = _BEFORE_LATIN.search(part) or _SMALL_CAPITALS.search(part)
            self._is_disguise = self._is_disguise or is_disguise is not None
            is_beside_latin = _BESIDE_LATIN.search(part) is not None
            self._is_beside_latin = self._is_beside_latin or is_beside_latin

    def fold(self, part: str) -> str:
        """The part with disguised words in Latin letters, if any part of the text has some."""
        is_disguised = self._is_disguise or (self._is_beside_latin and not self._is_foreign)
        if not is_disguised or LOOKALIKE.search(part) is None:
            return part
        return _FOLDABLE_WORD.sub(lambda word: word[0].translate(_TABLE), part)


def fold_lookalikes(text: str) -> str:
    """The text with its disguised words spelled in Latin letters; time grows with the length only.

    Args:
        text: Normalised to NFKC.
    """
    if LOOKALIKE.search(text) is None:
        return text
    folder = LookalikeFolder()
    folder.look_at(text)
    return folder.fold(text)
