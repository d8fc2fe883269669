"""The origin of what vendors want back with the next turn: other servers cannot read it."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from typing import Any

from arc_core.messages import AssistantMessage, Message

_KEY = "sent_by"
_FAMILY = "vendor"
_DIGEST_CHARS = 16


def name_server(base_url: object, model: str) -> str:
    """A name for who answers: one for each address, and for each vendor behind it.

    A gateway has the models of several vendors at one address and calls them `vendor/model`. The
    name is a digest, since the path of an address may hold a token, and messages are stored.
    """
    vendor, slash, _ = model.partition("/")
    text = f"{base_url}\n{vendor if slash else ''}"
    return sha256(text.encode()).hexdigest()[:_DIGEST_CHARS]


def mark_content(content: Any, server: str, family: str | None = None) -> Any:
    """The vendor's content of an answer with the names of its server and vendor, if it can."""
    if not isinstance(content, Mapping):
        return content
    kin = {} if family is None else {_FAMILY: family}
    return {_KEY: server, **kin, **content}


def find_servers(begun: frozenset[str] | None, new: tuple[Message, ...], _: int) -> frozenset[str]:
    """Return the servers that have sent something for themselves: those before, and the new."""
    contents = (each.vendor_content for each in new if isinstance(each, AssistantMessage))
    named = (each for each in contents if isinstance(each, Mapping) and _KEY in each)
    return (begun or frozenset()).union(str(each[_KEY]) for each in named)


def leave_out_foreign(
    messages: Sequence[Message], server: str, family: str | None = None
) -> tuple[Message, ...]:
    """The messages, without what another server than the named one has sent for itself.

    Content without a name stays: it is of a version of Arc that wrote none, or of a test. So does
    what the same vendor's models have sent from another host, if `family` names the vendor.
    """
    return tuple(
        [
            replace(each, vendor_content=None)
            if isinstance(each, AssistantMessage) and _is_foreign(each, server, family)
            else each
            for each in messages
        ]
    )


def _is_foreign(message: AssistantMessage, server: str, family: str | None) -> bool:
    content = message.vendor_content
    if not isinstance(content, Mapping) or content.get(_KEY, server) == server:
        return False
    return family is None or content.get(_FAMILY) != family
