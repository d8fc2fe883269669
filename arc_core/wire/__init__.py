"""Parts that chat models share on the wire, for the authors of model plugins."""

from arc_core.components.prefix_cache import IdentityCache
from arc_core.text.addresses import origin_of
from arc_core.wire.guarded_client import (
    check_base_url,
    explain_unreadable_address,
    redact_addresses,
)
from arc_core.wire.model_errors import (
    connection_failure,
    error_of_status,
    find_counterpart,
    model_error,
    own_error,
    redact,
    retry_after_s,
)
from arc_core.wire.model_stream import MAX_STREAMED_CALLS, StreamDecoder, StreamSource, model_stream
from arc_core.wire.payloads import (
    CallIds,
    EncodedMessages,
    EncodedParts,
    defer_loading,
    json_array,
    json_bytes,
    json_object,
    json_value,
    sendable_name,
    token_usage,
)
from arc_core.wire.sse import EventStreamDecoder, ServerSentEvent
from arc_core.wire.strict_schema import strict_schema

__all__ = [
    "MAX_STREAMED_CALLS",
    "CallIds",
    "EncodedMessages",
    "EncodedParts",
    "EventStreamDecoder",
    "IdentityCache",
    "ServerSentEvent",
    "StreamDecoder",
    "StreamSource",
    "check_base_url",
    "connection_failure",
    "defer_loading",
    "error_of_status",
    "explain_unreadable_address",
    "find_counterpart",
    "json_array",
    "json_bytes",
    "json_object",
    "json_value",
    "model_error",
    "model_stream",
    "origin_of",
    "own_error",
    "redact",
    "redact_addresses",
    "retry_after_s",
    "sendable_name",
    "strict_schema",
    "token_usage",
]
