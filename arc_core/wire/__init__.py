"""Parts that chat models share on the wire, for the authors of model plugins."""

from arc_core.components.identity_cache import IdentityCache
from arc_core.text.addresses import origin_of
from arc_core.wire.base_url import check_base_url, explain_unreadable_address, redact_addresses
from arc_core.wire.call_ids import CallIds, sendable_name
from arc_core.wire.json_text import (
    EncodedMessages,
    EncodedParts,
    json_bytes,
    json_object,
    json_value,
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
from arc_core.wire.model_stream import (
    MAX_STREAMED_CALLS,
    StreamDecoder,
    StreamSource,
    model_stream,
)
from arc_core.wire.sse import EventStreamDecoder, ServerSentEvent
from arc_core.wire.strict_schema import strict_schema
from arc_core.wire.token_counts import token_usage

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
    "error_of_status",
    "explain_unreadable_address",
    "find_counterpart",
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
