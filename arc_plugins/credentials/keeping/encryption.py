"""Encrypts what a database keeps, by AES-GCM with the keys of `credentials.key`.

A sealed value is the id of its key, a nonce, and what AES-GCM makes of both. What it belongs to is
authenticated with it: a row that is copied to another owner cannot be read there.
"""

import hashlib
import secrets
from collections.abc import Sequence

from arc_core.stores import explain_missing_extra

with explain_missing_extra("credentials"):
    from cryptography.exceptions import InvalidTag
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

_ID_BYTES = 8
_NONCE_BYTES = 12


class WrongKeyError(Exception):
    """A value was sealed with a key that is not there, or belongs to something else."""


class Sealer:
    """Seals with the first of some keys, and opens with all of them.

    Args:
        keys: Of 32 bytes each; one at least.

    Attributes:
        key_id: The id of the first key, as rows name it.
    """

    def __init__(self, keys: Sequence[bytes]) -> None:
        self._ciphers = {_make_id(key): AESGCM(key) for key in keys}
        first = _make_id(keys[0])
        self._first = first
        self.key_id = first.hex()

    @property
    def key_ids(self) -> tuple[str, ...]:
        """The ids of all keys."""
        return tuple(each.hex() for each in self._ciphers)

    def seal(self, value: bytes, *, about: bytes) -> bytes:
        """Encrypt a value; what it is about is needed to open it."""
        nonce = secrets.token_bytes(_NONCE_BYTES)
        sealed = self._ciphers[self._first].encrypt(nonce, value, about)
        return self._first + nonce + sealed

    def open(self, sealed: bytes, *, about: bytes) -> bytes:
        """Decrypt a value.

        Raises:
            WrongKeyError: Its key is not there, or it was sealed about something else.
        """
        name, rest = sealed[:_ID_BYTES], sealed[_ID_BYTES:]
        cipher = self._ciphers.get(name)
        if cipher is None:
            raise WrongKeyError
        try:
            return cipher.decrypt(rest[:_NONCE_BYTES], rest[_NONCE_BYTES:], about)
        except InvalidTag:
            raise WrongKeyError from None


def _make_id(key: bytes) -> bytes:
    """An id that tells nothing about the key."""
    return hashlib.sha256(b"arc credentials " + key).digest()[:_ID_BYTES]
