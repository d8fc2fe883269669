"""What the settings add to the body of every request: `llm.options` and `llm.extra_body`."""

from collections.abc import Collection, Mapping
from typing import Any

from arc_core.errors import ConfigurationError
from arc_core.settings import LlmSettings
from arc_core.wire.http_chat_model.vendor import Vendor
from arc_core.wire.json_text import json_bytes

__all__ = ["add_fields", "check_body_fields"]


def check_body_fields(vendor: Vendor, llm: LlmSettings) -> None:
    """See that options are known, and that no field would be written twice.

    Raises:
        ConfigurationError: Names what cannot be sent, and what can, or where it is set instead.
    """
    unknown = sorted(llm.options.keys() - vendor.options)
    if unknown:
        raise ConfigurationError(
            f"llm.options has {_join(unknown)}, which {vendor.title} is not known to take",
            remedy=f"use some of {_join(sorted(vendor.options))}, or put the field into "
            "llm.extra_body, which is sent as it is",
        )
    doubled = sorted(llm.extra_body.keys() & (vendor.own_fields | llm.options.keys()))
    if doubled:
        raise ConfigurationError(
            f"llm.extra_body has {_join(doubled)}, which Arc writes itself",
            remedy="take it out, and use the setting for it; for "
            f"{vendor.title} Arc writes {_join(sorted(vendor.own_fields | llm.options.keys()))}",
        )


def add_fields(body: bytes, fields: Mapping[str, Any]) -> bytes:
    """The JSON object with more fields behind its own, of which it has at least one."""
    return b"%s,%s" % (body[:-1], json_bytes(fields)[1:]) if fields else body


def _join(names: Collection[str]) -> str:
    return ", ".join(names) or "nothing"
