"""The form of a chained line.

A line is a JSON object whose last member, `mac`, is the HMAC-SHA-256 (without a key the SHA-256)
of the bytes before it. Among these is `prev`, the `mac` of the line before it in the log, whichever
process has written that. `chain` names the process and the file, `n` counts its lines.
"""

import hashlib
import hmac
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

MAX_LINE_BYTES = 16 * 1024 * 1024
"""A longer line is none of a log: it is refused when it is read and when it is written."""

PLAIN = "sha256"
"""The fingerprint of lines that were made without a key."""

START = b'{"v":1,"chain":"'
_MAC_BYTES = 64
_MAC_START, _MAC_END = b',"mac":"', b'"}'
_END_BYTES = len(_MAC_START) + _MAC_BYTES + len(_MAC_END)
_HEX = frozenset(b"0123456789abcdef")
_NAME = re.compile(r"[A-Za-z0-9_.-]{1,120}\Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainLine:
    """A line whose `mac` fits.

    Attributes:
        chain: The process and the file that it belongs to.
        n: Its number in the chain, from 0.
        prev: The `mac` of the line before it in the log; empty in the first line of all.
        mac: Its own.
        torn: The SHA-256 of an unfinished line before it, which a crash has left; or empty.
        file_number: Of the first line of a file: the number of the file, from 1; else None.
    """

    chain: str
    n: int
    prev: str
    mac: str
    torn: str = ""
    file_number: int | None = None


class Seal:
    """Makes the `mac` of a line, by a key; without one it is plain SHA-256."""

    def __init__(self, key: bytes | None) -> None:
        self._key = key

    @property
    def fingerprint(self) -> str:
        """The name of the key, by which it is not found; `PLAIN` without one."""
        if self._key is None:
            return PLAIN
        return f"hmac-sha256:{hmac.digest(self._key, b'arc audit key', 'sha256').hex()[:16]}"

    def write(self, fields: Mapping[str, Any]) -> bytes:
        """Return the line of some fields, with its end of line."""
        text = json.dumps(fields, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
        body = text[:-1].encode("ascii")
        return b'%b,"mac":"%b"}\n' % (body, self._mac(body).encode("ascii"))

    def read(self, line: bytes) -> ChainLine | None:
        """Return a line without its end of line; None if it is none, or its `mac` does not fit."""
        mac = get_mac(line)
        if mac is None or not hmac.compare_digest(mac, self._mac(line[:-_END_BYTES])):
            return None
        return parse_line(line)

    def _mac(self, body: bytes) -> str:
        if self._key is None:
            return hashlib.sha256(body).hexdigest()
        return hmac.digest(self._key, body, "sha256").hex()


def parse_line(line: bytes) -> ChainLine | None:
    """Return a line without its end of line, whether its `mac` fits or not; None if it is none."""
    mac = get_mac(line)
    if mac is None:
        return None
    try:
        return _make_line(json.loads(line[:-_END_BYTES] + b"}"), mac)
    except (ValueError, RecursionError):
        return None


def get_mac(line: bytes) -> str | None:
    """Return the `mac` that a line says it has; None if it has none."""
    end = line[-_END_BYTES:]
    mac = end.removeprefix(_MAC_START).removesuffix(_MAC_END)
    is_mac = len(end) == _END_BYTES and len(mac) == _MAC_BYTES and _HEX.issuperset(mac)
    return mac.decode("ascii") if is_mac else None


def get_fingerprint(line: bytes) -> str | None:
    """Return the name of the key in the first line of a file, whether it fits or not."""
    try:
        found = json.loads(line).get("key")
    except (AttributeError, ValueError, RecursionError):
        return None
    return found if isinstance(found, str) else None


def is_torn(rest: bytes) -> bool:
    """Return whether this may be what crashes have left of lines, without the last end of line."""
    lines = rest.split(b"\n") if rest else ()
    return bool(lines) and all(
        START.startswith(each[: len(START)]) and get_mac(each) is None for each in lines
    )


def digest_torn(fragment: bytes) -> str:
    """Return the SHA-256 of an unfinished line, as the line after it names that."""
    return hashlib.sha256(fragment).hexdigest()


def _make_line(found: Any, mac: str) -> ChainLine | None:
    if not isinstance(found, dict):
        return None
    chain, n, prev, torn = (found.get(name) for name in ("chain", "n", "prev", "torn"))
    number = found.get("file_number") if n == 0 else None
    if not (isinstance(chain, str) and _NAME.match(chain) and isinstance(prev, str)):
        return None
    if type(n) is not int or n < 0 or (number is not None and type(number) is not int):
        return None
    torn = torn if isinstance(torn, str) else ""
    return ChainLine(chain=chain, n=n, prev=prev, mac=mac, torn=torn, file_number=number)
