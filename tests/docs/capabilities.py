"""The tables of what each vendor and host can do, by asking the chat models themselves.

A request is encoded with something and without it, and what an answer has is looked for in what
the model gives out. `python -m tests.docs.capabilities` writes the page anew.
"""

import asyncio
import re
from base64 import b64encode
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from arc_core import (
    Attachment,
    ChatRequest,
    ChatResponse,
    ConfigurationError,
    ModelError,
    ReasoningEffort,
    ResponseFormat,
    UserMessage,
    tool,
)
from arc_core.messages.attachments import attachments_in
from arc_core.settings import LlmSettings
from arc_core.testing.vendor_server import ReceivedRequest, Reply, VendorServer
from arc_plugins.models.anthropic.chat_model import AnthropicChatModel
from arc_plugins.models.gemini.chat_model import GeminiChatModel
from arc_plugins.models.openai.chat.chat_model import OpenAIChatModel
from arc_plugins.models.openai.responses.chat_model import OpenAIResponsesChatModel
from tests.architecture.source import ROOT
from tests.docs.probed_answers import ANSWERS, IMAGE, SIGNATURE, Answer
from tests.wire.answers import whole
from tests.wire.hosts import AT_HOSTS, EVENTSTREAM, asking_host, give_credentials
from tests.wire.models import KEY, VendorModel, asking

PAGE = ROOT / "docs" / "models-and-hosts.md"
_TABLES = re.compile(r"(?<=<!-- begin -->\n).*(?=<!-- end -->)", re.DOTALL)
_YES, _NO = "✓", "–"
_TITLES: dict[type[VendorModel], str] = {
    OpenAIChatModel: "chat",
    OpenAIResponsesChatModel: "Responses",
    AnthropicChatModel: "Anthropic",
    GeminiChatModel: "Gemini",
}


@dataclass(frozen=True)
class Way:
    """A way to a model: its API, and where it is asked.

    Attributes:
        title: In the first column.
        model_type: Speaks the API.
        host: Empty at the vendor's own address, or at a compatible server's.
        is_own: At the vendor's own address.
    """

    title: str
    model_type: type[VendorModel]
    host: str = ""
    is_own: bool = False

    def asking(self, server: VendorServer) -> AbstractAsyncContextManager[VendorModel]:
        """A model whose vendor or host is the server."""
        if self.host:
            return asking_host(server, self.model_type, self.host)
        return asking(server, self.model_type)

    def answer(self, body: bytes) -> Reply:
        """A stream in the frames of the way."""
        if self.host == "bedrock" and self.model_type is AnthropicChatModel:
            return Reply(body=ANSWERS[self.model_type].framed, content_type=EVENTSTREAM)
        return Reply.events(body)


WAYS = (
    Way("OpenAI, Responses", OpenAIResponsesChatModel, is_own=True),
    Way("OpenAI, chat", OpenAIChatModel, is_own=True),
    Way("Anthropic", AnthropicChatModel, is_own=True),
    Way("Gemini", GeminiChatModel, is_own=True),
    Way("A compatible server, chat", OpenAIChatModel),
    Way("A compatible server, Responses", OpenAIResponsesChatModel),
    *(Way(f"{host.title()}, {_TITLES[kind]}", kind, host) for host, kind in AT_HOSTS.values()),
)


@tool
def probed_tool(probed_argument: str) -> str:
    """Look something up."""
    return probed_argument


_SCHEMA = {"type": "object", "properties": {"probed_field": {"type": "string"}},
           "required": ["probed_field"], "additionalProperties": False}  # fmt: skip
_PLAIN = ChatRequest(messages=(UserMessage("Hi"),))
_WITH_TOOL = replace(_PLAIN, tools=(probed_tool,))
_AS_JSON = replace(_PLAIN, response_format=ResponseFormat.JSON)
_CACHED = replace(_PLAIN, system_prompt="Be brief.", stable_messages=1)
_REQUESTS: dict[str, tuple[ChatRequest, ChatRequest]] = {
    "tools": (_PLAIN, _WITH_TOOL),
    "`tool_choice` required": (_WITH_TOOL, replace(_WITH_TOOL, tool_choice="required")),
    "a named tool": (_WITH_TOOL, replace(_WITH_TOOL, tool_choice="probed_tool")),
    "JSON Schema": (_AS_JSON, replace(_AS_JSON, response_schema=_SCHEMA)),
    "a schema beside tools": (
        replace(_AS_JSON, tools=(probed_tool,)),
        replace(_AS_JSON, tools=(probed_tool,), response_schema=_SCHEMA),
    ),
    "JSON without a schema": (_PLAIN, _AS_JSON),
    "`llm.reasoning`": (_PLAIN, replace(_PLAIN, reasoning=ReasoningEffort.HIGH)),
    "`temperature`": (_PLAIN, replace(_PLAIN, temperature=0.125)),
    "a key of the prompt cache": (_CACHED, replace(_CACHED, cache_key="probed-key")),
    "marks of the prompt cache": (replace(_CACHED, stable_messages=0), _CACHED),
}
"""What is asked for: without it, and with it. It is sent if the bodies differ."""

_FILES = {
    "PNG": "image/png", "JPEG": "image/jpeg", "GIF": "image/gif", "WebP": "image/webp",
    "HEIC": "image/heic", "PDF": "application/pdf", "MP3": "audio/mpeg", "WAV": "audio/wav",
    "Ogg": "audio/ogg", "text": "text/plain", "CSV": "text/csv",
}  # fmt: skip
_ADDRESSED = {"PNG": "image/png", "PDF": "application/pdf", "MP3": "audio/mpeg"}
_ADDRESS = "https://files.example/probed"
_DATA = b"probed bytes"
_BUSY = Reply.json({}, status=503)


class Probe:
    """A model of a way, and all that it has sent."""

    def __init__(self, way: Way, model: VendorModel, server: VendorServer) -> None:
        self._way, self._server, self.model = way, server, model

    async def encode(self, request: ChatRequest) -> bytes:
        """The body of a request, before anything is refused."""
        if self._way.is_own:
            return self._way.model_type(settings=LlmSettings()).encode_request(request)
        return (await self.send(request)).body

    async def send(self, request: ChatRequest) -> ReceivedRequest:
        """A request as the server gets it."""
        with pytest.raises(ModelError):
            await self.model.complete(request)
        return self._server.requests[-1]

    async def takes(self, file: Attachment) -> bool:
        """Whether the model says that it takes a file, and sends what is in it."""
        model = self.model
        accepts = model.accepts if file.url is None else model.accepts_address
        if not accepts(file.media_type):
            return False
        body = await self.encode(ChatRequest(messages=(UserMessage((file,)),)))
        return any(each in body for each in (_ADDRESS.encode(), b64encode(_DATA), _DATA))


@asynccontextmanager
async def probing(way: Way) -> AsyncIterator[Probe]:
    """A model whose server is busy for ever."""
    async with VendorServer(*[_BUSY] * 100) as server, way.asking(server) as model:
        yield Probe(way, model, server)


async def _stream(way: Way, answer: Answer) -> tuple[list[Any], ChatResponse, bytes]:
    """The deltas of a streamed answer, all of it, and the body of the request behind it."""
    stream = way.answer(answer.stream)
    deltas: list[Any] = []

    async def keep(given: AsyncIterator[Any]) -> AsyncIterator[Any]:
        async for delta in given:
            deltas.append(delta)
            yield delta

    async with VendorServer(stream, _BUSY) as server, way.asking(server) as model:
        said = await whole(keep(model.stream(_WITH_TOOL)))
        with pytest.raises(ModelError):
            await model.complete(replace(_WITH_TOOL, messages=answer.go_on(said)))
    return deltas, said, server.requests[1].body


_Look = Callable[[Sequence[Any], ChatResponse, bytes], bool]
_ANSWERED: dict[str, _Look] = {
    "text as it comes": lambda deltas, said, sent: sum(bool(each.text) for each in deltas) > 1,
    "tool calls": lambda deltas, said, sent: bool(said.message.tool_calls),
    "reasoning as it comes": lambda deltas, said, sent: any(each.reasoning for each in deltas),
    "signed reasoning goes back": lambda deltas, said, sent: SIGNATURE.encode() in sent,
    "tokens": lambda deltas, said, sent: said.usage is not None and said.usage.total_tokens > 0,
    "read from the cache": lambda deltas, said, sent: bool(said.usage and said.usage.cached_tokens),
    "written to the cache": lambda deltas, said, sent: bool(
        said.usage and said.usage.cache_write_tokens
    ),
    "of reasoning": lambda deltas, said, sent: bool(said.usage and said.usage.reasoning_tokens),
    "images in the message": lambda deltas, said, sent: bool(attachments_in(said.message)),
    "images go back": lambda deltas, said, sent: IMAGE.encode() in sent,
}


async def _names_request(way: Way) -> bool:
    """Return whether the log has the id by which the vendor or the host knows a request."""
    names = ("x-request-id", "request-id", "x-amzn-requestid", "apim-request-id",
             "x-vertex-ai-request-id")  # fmt: skip
    failure = Reply.json({"error": {}}, status=503, headers=dict.fromkeys(names, "probed-id"))
    async with VendorServer(failure) as server, way.asking(server) as model:
        with pytest.raises(ModelError) as caught:
            await model.complete(_PLAIN)
    return "probed-id" in str(caught.value)


async def _rows_of_requests() -> list[list[str]]:
    rows = [["", *_REQUESTS]]
    for way in WAYS:
        async with probing(way) as probe:
            pairs = [[await probe.encode(each) for each in pair] for pair in _REQUESTS.values()]
        rows.append([way.title, *(_mark(before != behind) for before, behind in pairs)])
    return rows


async def _rows_of_files() -> list[list[str]]:
    rows = [["", *_FILES, *(f"{name} by its address" for name in _ADDRESSED)]]
    files = [Attachment(kind, data=_DATA) for kind in _FILES.values()]
    files += [Attachment(kind, url=_ADDRESS) for kind in _ADDRESSED.values()]
    for way in WAYS:
        async with probing(way) as probe:
            rows.append([way.title, *[_mark(await probe.takes(file)) for file in files]])
    return rows


async def _rows_of_answers() -> list[list[str]]:
    rows = [["", *_ANSWERED, "the request's id"]]
    for way in WAYS:
        given = await _stream(way, ANSWERS[way.model_type])
        found = [look(*given) for look in _ANSWERED.values()]
        rows.append([way.title, *map(_mark, [*found, await _names_request(way)])])
    return rows


_SCHEMES = re.compile(r"[A-Z][A-Za-z0-9-]+(?= )")
_KEYS = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "AZURE_OPENAI_API_KEY",
         "AWS_BEARER_TOKEN_BEDROCK")  # fmt: skip
_MACHINES = ("AWS_ACCESS_KEY_ID", "GOOGLE_APPLICATION_CREDENTIALS", "IDENTITY_ENDPOINT")


async def _rows_of_credentials() -> list[list[str]]:
    rows = [["", "with a key", "with the credentials of the machine"]]
    for way in WAYS:
        rows.append([way.title, *[await _authentication(way, each) for each in (_KEYS, _MACHINES)]])
    return rows


async def _authentication(way: Way, sources: Collection[str]) -> str:
    """The headers that authenticate a request with these credentials alone."""
    with pytest.MonkeyPatch.context() as patch:
        for name in {*_KEYS, *_MACHINES}.difference(sources):
            patch.delenv(name)
        try:
            async with probing(way) as probe:
                request = await probe.send(_PLAIN)
        except ConfigurationError:
            return _NO
    return _join_headers(request) or _NO


def _join_headers(request: ReceivedRequest) -> str:
    """The headers that authenticate a request."""
    found = []
    for name in ("api-key", "x-api-key", "x-goog-api-key", "authorization"):
        value = request.headers.get(name)
        if value is not None:
            scheme = _SCHEMES.match(value)
            found.append(f"`{name}: {scheme[0]} …`" if scheme else f"`{name}`")
    return ", ".join(found)


def _rows_of_options() -> list[list[str]]:
    return [
        ["API", "`llm.options`"],
        *(
            [_TITLES[kind], ", ".join(f"`{name}`" for name in sorted(kind.vendor.options))]
            for kind in _TITLES
        ),
    ]


def _mark(can: object) -> str:
    return _YES if can else _NO


def _table(title: str, rows: Sequence[Sequence[str]]) -> str:
    head, *others = rows
    lines = [head, ["---"] * len(head), *others]
    return "\n".join([f"## {title}\n", *(f"| {' | '.join(line)} |" for line in lines), ""])


_MADE: dict[str, Callable[[], Awaitable[list[list[str]]]]] = {
    "Requests": _rows_of_requests,
    "Attachments": _rows_of_files,
    "Answers": _rows_of_answers,
    "Authentication": _rows_of_credentials,
}


_TOKEN = Reply.json({
    "access_token": "token-of-the-machine", "token_type": "Bearer",
    "expires_in": 3600, "expires_on": "4102444800",
})  # fmt: skip
"""As Google's and Azure's servers of tokens give one."""


@asynccontextmanager
async def credentials() -> AsyncIterator[None]:
    """Credentials of all hosts and vendors, which open nothing."""
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        for vendor in ("OPENAI", "ANTHROPIC"):
            patch.delenv(f"{vendor}_BASE_URL", raising=False)
        for name in ("GOOGLE_API_KEY", "ANTHROPIC_AUTH_TOKEN"):
            patch.delenv(name, raising=False)
        async with VendorServer(*[_TOKEN] * 200) as tokens:
            give_credentials(patch, Path(folder), tokens=tokens)
            for name in _KEYS:
                patch.setenv(name, KEY)
            patch.setenv("IDENTITY_ENDPOINT", f"{tokens.url}/token")
            patch.setenv("IDENTITY_HEADER", "header")
            patch.setenv("AZURE_TOKEN_CREDENTIALS", "ManagedIdentityCredential")
            for name in ("CLOUDSDK_CONFIG", "HOME"):
                patch.setenv(name, folder)
            for name in ("NO_GCE_CHECK", "AWS_EC2_METADATA_DISABLED"):
                patch.setenv(name, "true")
            patch.setenv("NO_PROXY", "127.0.0.1")
            yield


async def write_tables() -> str:
    """All tables."""
    async with credentials():
        tables = [_table(title, await make()) for title, make in _MADE.items()]
    return "\n".join([*tables, _table("Options", _rows_of_options())])


def find_tables(page: str) -> str:
    """The tables in the text of the page."""
    found = _TABLES.search(page)
    assert found, "the page has lost the marks of its tables"
    return found[0]


def main() -> None:
    """Write the page anew."""
    tables = asyncio.run(write_tables())  # noqa: TID251 -- the process is its own
    page = PAGE.read_text("utf-8")
    PAGE.write_text(_TABLES.sub(lambda _: tables, page), "utf-8")


if __name__ == "__main__":
    main()
