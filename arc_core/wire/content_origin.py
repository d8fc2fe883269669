"""The origin of a vendor's own content in messages: no other server gets it back.

What a vendor has signed or encrypted is refused by all others, and is not theirs to read.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from typing import Any

from arc_core.messages import AssistantMessage, Message

__all__ = ["leave_out_foreign", "mark_content", "name_server"]

_KEY = "sent_by"
_DIGEST_CHARS = 16


def name_server(base_url: object, model: str) -> str:
    """A name for who answers: one for each address, and for each vendor behind it.

    A gateway has the models of several vendors at one address and calls them `vendor/model`. The
    name is a digest, since the path of an address may hold a token, and messages are stored.
    """
    vendor, slash, _ = model.partition("/")
    text = f"{base_url}\n{vendor if slash else ''}"
    return sha256(text.encode()).hexdigest()[:_DIGEST_CHARS]


def mark_content(content: Any, server: str) -> Any:
    """The vendor's content of an answer with the name of its server, if it can hold one."""
    return {_KEY: server, **content} if isinstance(content, Mapping) else content


def leave_out_foreign(messages: Sequence[Message], server: str) -> tuple[Message, ...]:
    """The messages, without what another server than the named one has sent for itself.

    Content without a name stays: it is of a version of Arc that wrote none, or of a test.
    """
    return tuple(
        [
            replace(each, vendor_content=None)
            if isinstance(each, AssistantMessage) and _is_foreign(each, server)
            else each
            for each in messages
        ]
    )


def _is_foreign(message: AssistantMessage, server: str) -> bool:
    content = message.vendor_content
    return isinstance(content, Mapping) and content.get(_KEY, server) != server
