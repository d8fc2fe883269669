"""The client of OpenAI, as both APIs are asked through it."""

import os
from abc import ABC, abstractmethod
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from typing import Any, Self, TypeVar

import httpx2
from pydantic import BaseModel

from arc_core import ChatRequest, ResponseFormat
from arc_core.wire import EncodedParts, json_bytes, sendable_name, strict_schema
from arc_core.wire.aiohttp_client import AioHttpClient
from arc_core.wire.host_credentials import read_variable
from arc_core.wire.http_chat_model import (
    ClientOptions,
    Connection,
    HttpChatModel,
    PlainClient,
    RefusedRequestError,
    Vendor,
)
from arc_plugins.models.openai.errors import ERRORS, refused_parameters

_HOST = "api.openai.com"
_ADDRESS_VARIABLE = "OPENAI_BASE_URL"
_ACCOUNT_VARIABLES = {"OpenAI-Organization": "OPENAI_ORG_ID", "OpenAI-Project": "OPENAI_PROJECT_ID"}


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
        host=_HOST,
        key_remedy=", or llm.base_url to the address of a compatible server that needs none",
        errors=ERRORS,
        refusals=(RefusedRequestError,),
        options=options,
        own_fields=own_fields,
    )


class OpenAIDialect(ABC):
    """A dialect that learns from the parameters that a server rejects."""

    def after(self, error: httpx2.HTTPStatusError) -> Self | None:
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
    """A chat model that is asked through either API.

    The SDK is not imported: that alone would take longer than the rest of a start.
    """

    def connect(self, options: ClientOptions) -> Connection:
        """A client that sends the key; a server at a base URL may need none."""
        address = options.base_url or os.environ.get(_ADDRESS_VARIABLE) or f"https://{_HOST}/v1"
        http = AioHttpClient(
            base_url=address,
            headers={} if options.is_hosted else _read_account_headers(options.key),
            timeout=options.timeout,
            max_reply_bytes=options.max_reply_bytes,
            setting=options.setting,
        )
        is_authorized = bool(options.key) or options.base_url is not None
        return Connection(
            client=PlainClient(http), secret=options.key or None, is_authorized=is_authorized
        )

    def dialect_after(self, dialect: DialectT, refusal: Exception) -> DialectT | None:
        """Without the parameter that the refusal names."""
        return dialect.after(refusal) if isinstance(refusal, httpx2.HTTPStatusError) else None


def _read_account_headers(key: str) -> dict[str, str]:
    """The key, and what an account with several organizations or projects sets beside it."""
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    account = {header: read_variable(each) for header, each in _ACCOUNT_VARIABLES.items()}
    return headers | {header: value for header, value in account.items() if value}


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
