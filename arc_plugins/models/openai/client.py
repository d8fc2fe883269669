"""The SDK's client, as both APIs are asked through it."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from typing import Any, Self, TypeVar

import openai
from pydantic import BaseModel

from arc_core import ChatRequest, ResponseFormat
from arc_core.wire import EncodedParts, json_bytes, sendable_name, strict_schema
from arc_core.wire.guarded_client import GuardedAioHttpClient
from arc_core.wire.http_chat_model import ClientOptions, Connection, HttpChatModel, Vendor
from arc_plugins.models.openai.errors import ERRORS, refused_parameters

# What the SDK tells of itself and of the machine; no server needs to know it.
_CLIENT_HEADERS = (
    "X-Stainless-Lang",
    "X-Stainless-Package-Version",
    "X-Stainless-OS",
    "X-Stainless-Arch",
    "X-Stainless-Runtime",
    "X-Stainless-Runtime-Version",
    "X-Stainless-Async",
)
_REQUEST_HEADERS = ("X-Stainless-Retry-Count", "X-Stainless-Read-Timeout")
_HOSTED = (*_REQUEST_HEADERS, "Authorization", "OpenAI-Organization", "OpenAI-Project")
_NO_KEY = "none"  # the SDK demands one, also for servers that do not


def vendor_at(
    api: str, path: str, *, options: AbstractSet[str], own_fields: AbstractSet[str]
) -> Vendor:
    """OpenAI, asked by one of its APIs, at the path of that."""
    return Vendor(
        title="OpenAI",
        api=api,
        path=path,
        default_model="gpt-5.4-mini",
        key_variable="OPENAI_API_KEY",
        host="api.openai.com",
        key_remedy=", or llm.base_url to the address of a compatible server that needs none",
        errors=ERRORS,
        refusals=(openai.BadRequestError, openai.UnprocessableEntityError),
        options=options,
        own_fields=own_fields,
    )


class _HttpClient(GuardedAioHttpClient, openai.DefaultAioHttpClient):
    """The SDK's, on aiohttp, guarded."""


class OpenAIDialect(ABC):
    """A dialect that learns from the parameters that a server rejects."""

    def after(self, error: openai.APIStatusError) -> Self | None:
        """The dialect to try once more with; None if Arc has nothing to change."""
        for parameter in refused_parameters(error):
            changed = self.without(parameter)
            if changed != self:
                return changed
        return None

    @abstractmethod
    def without(self, parameter: str) -> Self:
        """The dialect that leaves a parameter out; itself if Arc cannot do without it."""


DialectT = TypeVar("DialectT", bound=OpenAIDialect)


class OpenAIHttpChatModel(HttpChatModel[DialectT]):
    """A chat model that is asked by the SDK's client, through either API."""

    def connect(self, options: ClientOptions) -> Connection:
        """The SDK's client, with its own retries off; a server at a base URL may need no key."""
        left_out: dict[str, Any] = dict.fromkeys(_CLIENT_HEADERS, openai.Omit())
        client = openai.AsyncOpenAI(
            api_key=options.key or _NO_KEY,
            base_url=options.base_url,
            max_retries=0,
            timeout=options.timeout,
            default_headers=left_out,
            http_client=_HttpClient(
                base_url=options.base_url or "",
                max_reply_bytes=options.max_reply_bytes,
                setting=options.setting,
            ),
        )
        is_authorized = bool(options.key) or options.base_url is not None
        omitted = _HOSTED if options.is_hosted else _REQUEST_HEADERS
        return Connection(
            client=client,
            secret=options.key or None,
            is_authorized=is_authorized,
            headers=dict.fromkeys(omitted, openai.Omit()),
        )

    def dialect_after(self, dialect: DialectT, refusal: Exception) -> DialectT | None:
        """Without the parameter that the refusal names."""
        return dialect.after(refusal) if isinstance(refusal, openai.APIStatusError) else None


def encode_format(
    request: ChatRequest, schemas: EncodedParts[type[BaseModel] | Mapping[str, Any]]
) -> bytes:
    """Encode the form of an answer; empty if none is to be enforced."""
    if request.response_format is not ResponseFormat.JSON:
        return b""
    schema = request.response_schema
    return b'{"type":"json_object"}' if schema is None else schemas.encode(schema)


def encode_choice(request: ChatRequest, choice: object) -> bytes:
    """Encode what is said of tool calls, `choice` if a tool is named; empty for the usual."""
    if not request.tools or request.tool_choice == "auto":
        return b""
    is_general = request.tool_choice in {"none", "required"}
    return json_bytes(request.tool_choice if is_general else choice)


def name_schema(schema: type[BaseModel] | Mapping[str, Any]) -> dict[str, Any] | None:
    """Name, strictness and schema; None if the vendor's subset cannot say it.

    The prompt's instruction is alone then.
    """
    if isinstance(schema, type):
        name = schema.__name__
        written: Mapping[str, Any] = schema.model_json_schema()
    else:
        name, written = str(schema.get("title", "answer")), schema
    strict = strict_schema(written, all_required=True)
    if strict is None:
        return None
    return {"name": sendable_name(name), "strict": True, "schema": strict}
