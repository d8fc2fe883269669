"""Names for the model: of letters that vendors accept, and the same as long as the program runs."""

import hashlib
import re
from collections.abc import Mapping, Sequence

__all__ = ["name_for", "names_for", "qualifier_of"]

_ACCEPTED = re.compile(r"[A-Za-z0-9_-]{1,64}")
_NOT_IN_A_NAME = re.compile(r"[^A-Za-z0-9_-]")
_MAX_CHARS, _DIGEST_CHARS = 64, 8


def name_for(server: str, tool: str) -> str:
    """What the model calls a tool, whatever other servers there are.

    A name that vendors accept stays as it is. Any other gets its server's name in front and a
    digest behind.
    """
    if _ACCEPTED.fullmatch(tool):
        return tool
    start = _NOT_IN_A_NAME.sub("_", f"{server}_{tool}")[: _MAX_CHARS - _DIGEST_CHARS - 1]
    return f"{start}_{_digest(server, tool)}"


def names_for(listed: Mapping[str, Sequence[str]]) -> dict[tuple[str, str], str]:
    """What the model calls each tool that it is offered.

    A name belongs to the first server that has it. A tool of a later server with that name is not
    in the result: under another name, a hook that blocks it would no longer know it.

    Args:
        listed: Servers in the order of the settings, with the names of their tools.

    Returns:
        By server and tool.
    """
    names: dict[tuple[str, str], str] = {}
    taken: set[str] = set()
    for server, tools in listed.items():
        for tool in tools:
            if (name := name_for(server, tool)) not in taken:
                names[server, tool] = name
                taken.add(name)
    return names


def qualifier_of(server: str) -> str:
    """What stands in front of the names of a server's tools where agents name them."""
    return f"mcp:{server}/"


def _digest(*texts: str) -> str:
    seed = "\0".join(texts).encode(errors="surrogatepass")
    return hashlib.sha256(seed).hexdigest()[:_DIGEST_CHARS]
