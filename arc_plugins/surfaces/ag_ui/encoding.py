"""Frames of server-sent events."""

import json

from ag_ui.core import BaseEvent

__all__ = ["encode", "write_json"]

write_json = json.JSONEncoder(separators=(",", ":")).encode


def encode(event: BaseEvent) -> str:
    """The frame of an event.

    The protocol's own encoder refuses half a surrogate pair, which models do write; this escapes
    it, and says the same of everything else.
    """
    return f"data: {write_json(event.model_dump(by_alias=True))}\n\n"
