"""Chat models that ask their vendor over HTTP: everything but the vendor's own."""

from arc_core.wire.http_chat_model.chat_model import HttpChatModel
from arc_core.wire.http_chat_model.vendor import (
    ClientOptions,
    Connection,
    HttpClient,
    PlainClient,
    RefusedRequestError,
    Vendor,
)
from arc_core.wire.model_errors import (
    ErrorBody,
    PayloadError,
    VendorErrors,
    find_retry_delay,
    list_details,
    read_body,
    read_facts,
    unwrap,
)

__all__ = [
    "ClientOptions",
    "Connection",
    "ErrorBody",
    "HttpChatModel",
    "HttpClient",
    "PayloadError",
    "PlainClient",
    "RefusedRequestError",
    "Vendor",
    "VendorErrors",
    "find_retry_delay",
    "list_details",
    "read_body",
    "read_facts",
    "unwrap",
]
