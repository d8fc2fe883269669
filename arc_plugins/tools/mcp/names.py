"""Names for the model: unique among all servers, and of letters that vendors accept."""

import hashlib
import re
from collections import Counter
from collections.abc import Mapping, Sequence

__all__ = ["names_for"]

_ACCEPTED = re.compile(r"[A-Za-z0-9_-]{1,64}")
_NOT_IN_A_NAME = re.compile(r"[^A-Za-z0-9_-]")
_MAX_CHARS, _DIGEST_CHARS = 64, 8


def names_for(listed: Mapping[str, Sequence[str]]) -> dict[tuple[str, str], str]:
    """What the model calls each tool.

    A name that one server alone has, and that vendors accept, stays as it is. Any other gets its
    server's name in front, and a digest behind where it had to be changed or cut. The result does
    not depend on the order of servers and tools, except where two digests are the same.

    Args:
        listed: Servers, with the names of their tools; a server names none twice.

    Returns:
        By server and tool.
    """
    every = [(server, name) for server, names in listed.items() for name in names]
    count = Counter(name for _, name in every)
    kept = {key: key[1] for key in every if count[key[1]] == 1 and _ACCEPTED.fullmatch(key[1])}
    taken = set(kept.values())
    for key in every:
        if key not in kept:
            kept[key] = _prefixed(key, taken)
            taken.add(kept[key])
    return kept


def _prefixed(key: tuple[str, str], taken: set[str]) -> str:
    plain = "_".join(key)
    if _ACCEPTED.fullmatch(plain) and plain not in taken:
        return plain
    room = _MAX_CHARS - _DIGEST_CHARS - 1
    start = _NOT_IN_A_NAME.sub("_", plain)[:room]
    seed = "\0".join(key)
    while (name := f"{start}_{_digest(seed)}") in taken:
        seed += "\0"
    return name


def _digest(text: str) -> str:
    digest = hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()
    return digest[:_DIGEST_CHARS]
