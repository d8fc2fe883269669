"""Reads words that were written backwards, or with every letter exchanged for another."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from string import ascii_lowercase

_LEAST_LETTERS = 5
_LEAST_WORDS = 2
_EXCHANGES = {
    "rot13": str.maketrans(ascii_lowercase, ascii_lowercase[13:] + ascii_lowercase[:13]),
    "atbash": str.maketrans(ascii_lowercase, ascii_lowercase[::-1]),
}
_BACKWARDS = "backwards"


class CipherReader:
    """Knows words that are looked for in every cipher, so that honest text costs one look-up each.

    Args:
        words: What to look for; only long ASCII words tell a cipher.
    """

    def __init__(self, words: Iterable[str]) -> None:
        known = {word for word in words if word.isascii() and word.isalpha()}
        telling = {word for word in known if len(word) >= _LEAST_LETTERS}
        self._ciphers = {
            word.translate(table): name for name, table in _EXCHANGES.items() for word in telling
        } | {word[::-1]: _BACKWARDS for word in telling}
        for word in known & self._ciphers.keys():
            del self._ciphers[word]

    def read(self, words: Sequence[str]) -> Iterator[list[str]]:
        """The words in plain, for every cipher of which they have two words or more."""
        if self._ciphers.keys().isdisjoint(words):
            return
        counts = Counter(self._ciphers[word] for word in words if word in self._ciphers)
        for name, count in counts.items():
            if count < _LEAST_WORDS:
                continue
            if name == _BACKWARDS:
                backwards = [word[::-1] for word in words]
                yield backwards
                yield backwards[::-1]
            else:
                yield [word.translate(_EXCHANGES[name]) for word in words]
