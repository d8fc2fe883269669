"""Rules of every `Host` that chat models rely on."""

import asyncio
from abc import abstractmethod
from collections.abc import Mapping
from itertools import product
from typing import Any
from urllib.parse import urlsplit

import pytest

from arc_core.errors import (
    AuthenticationError,
    ConfigurationError,
    InvalidRequestError,
    ModelError,
    ModelUnavailableError,
)
from arc_core.interfaces.models.host import (
    AddressedRequest,
    FrameDecoder,
    Host,
    HostedModels,
    HostedRequest,
    HostExplanation,
    HostFailure,
)
from arc_core.settings import LlmSettings
from arc_core.testing.conformance.components import (
    AsyncSuite,
    call_together,
    check_cancellation_leaves,
    check_interface,
    require,
    running,
)

_AT_ONCE = 50
_BOUND_S = 60
_SECRET_CHARS = 8  # shorter values may stand anywhere
_NAMES = {
    "path": "a/../b",
    "climbing": "..",
    "query": "a?b=c&d",
    "fragment": "a#b",
    "another host": "//a.example/b",
    "percent": "100%25",
    "spaces": "a b\r\nc: d",
    "letters": "모델-é",
    "resource name": "arn:aws:bedrock:us-east-1:1:inference-profile/m-v1:0",
}
_PAYLOADS: dict[str, Any] = {
    "nothing": None,
    "text": "no",
    "number": 7,
    "empty list": [],
    "list": [{"error": {"code": 429, "status": "X", "details": "none"}}],
    "list of texts": ["no"],
    "empty": {},
    "text of an error": {"error": "no"},
    "odd types": {"error": {"code": [], "status": {}, "details": [None, 1]}, "__type": 1},
    "codes": {"error": {"code": "no", "message": "No."}, "type": "error", "message": "No."},
}
_STATUSES = (None, 200, 400, 401, 403, 404, 429, 500, 503, 599)
_CONTENT_TYPES = ("text/event-stream", "application/json; charset=utf-8", "text/html", "", "odd")


class HostConformance(AsyncSuite):
    """Inherit from it, say how your host is made, and what it is opened with.

    Attributes:
        api: One that it speaks.
    """

    api: str

    @abstractmethod
    def make_host(self) -> Host:
        """A new host, which has credentials and has fetched none."""

    @abstractmethod
    def make_settings(self) -> LlmSettings:
        """The settings of a model at the host."""

    def make_failing_host(self) -> Host | None:
        """A host whose credentials cannot be had; None if nothing can fail."""
        return None

    def _open(self, host: Host) -> HostedModels:
        return host.open(self.api, self.make_settings())

    async def test_it_is_a_host(self) -> None:
        """It has the members of the interface, and a name by which it is chosen."""
        host = self.make_host()

        check_interface(host, Host)
        assert host.name.strip(), "llm.host chooses it by its name"

    async def test_it_opens_models(self) -> None:
        """They say where they are, and which fields their bodies have."""
        async with running(self.make_host()) as host:
            models = self._open(host)

        check_interface(models, HostedModels)
        assert urlsplit(models.base_url).scheme in {"http", "https"}, "base_url is not an address"
        assert not models.base_url.endswith("/"), "paths, which begin with /, are put behind it"
        assert set(models.omitted_fields) <= {"model", "stream"}, "only these can be left out"
        assert not set(models.added_fields) & set(models.omitted_fields), "added and left out"

    async def test_an_api_that_it_does_not_speak_is_refused(self) -> None:
        """It is refused when the application starts, and not with the first request."""
        async with running(self.make_host()) as host:
            with pytest.raises(ConfigurationError):
                host.open("an API that does not exist", self.make_settings())

    async def test_a_request_has_an_address(self) -> None:
        """At the server of the models, in the characters that travel, streamed or not."""
        async with running(self.make_host()) as host:
            models = self._open(host)
            found = [await models.address(_request(is_streamed=each)) for each in (False, True)]

        for addressed in found:
            _check_address(addressed, models)

    @pytest.mark.parametrize("name", _NAMES.values(), ids=_NAMES)
    async def test_a_name_of_a_model_changes_no_address(self, name: str) -> None:
        """Callers write it: it leads to no other server, path or query."""
        async with running(self.make_host()) as host:
            models = self._open(host)
            plain = await models.address(_request("plain"))
            try:
                addressed = await models.address(_request(name))
            except InvalidRequestError:
                return  # it knows that this is not the name of a model

        _check_address(addressed, models)
        shape, other = urlsplit(plain.url), urlsplit(addressed.url)
        assert other.query == shape.query, "the name has become a query"
        depths = [each.path.count("/") for each in (shape, other)]
        assert depths[0] == depths[1] or "/" in name, "the name has become a path"
        assert not {".", ".."} & set(other.path.split("/")), "the name climbs out of its folder"

    async def test_many_requests_at_once_are_addressed(self) -> None:
        """Each gets its address and what authenticates it."""
        async with running(self.make_host()) as host:
            models = self._open(host)
            found = await call_together(models.address(_request()) for _ in range(_AT_ONCE))

        for addressed in found:
            _check_address(addressed, models)
            names = {name.lower() for name in addressed.headers}
            assert names == {name.lower() for name in found[0].headers}

    async def test_a_refused_request_is_addressed_anew(self) -> None:
        """With other credentials, with the same ones if there are no others, or it is an error."""
        async with running(self.make_host()) as host:
            models = self._open(host)
            refused = await models.address(_request())
            try:
                async with asyncio.timeout(_BOUND_S):
                    addressed = await models.address(_request(refused=refused))
            except (AuthenticationError, ModelUnavailableError):
                return

        _check_address(addressed, models)

    async def test_a_host_shows_no_secret(self) -> None:
        """Neither the host nor what it gives has them in its text."""
        async with running(self.make_host()) as host:
            models = self._open(host)
            addressed = await models.address(_request())

        texts = f"{host!r} {models!r} {addressed!r} {addressed.url}"
        assert addressed.secret is None or addressed.secret not in texts, "it shows its secret"
        for name, value in addressed.headers.items():
            assert len(value) < _SECRET_CHARS or value not in texts, f"it shows the header {name}"

    @pytest.mark.parametrize("content_type", _CONTENT_TYPES)
    async def test_a_stream_has_a_decoder_or_is_of_events(self, content_type: str) -> None:
        """A new one for each stream, which is empty if nothing came."""
        async with running(self.make_host()) as host:
            models = self._open(host)
            decoders = [models.open_frames(content_type) for _ in range(2)]

        for decoder in decoders:
            assert decoder is None or isinstance(decoder, FrameDecoder)
            assert decoder is None or list(decoder.close()) == [], "events of an empty stream"
        assert decoders[0] is None or decoders[0] is not decoders[1], "two streams share a decoder"

    @pytest.mark.parametrize("payload", _PAYLOADS.values(), ids=_PAYLOADS)
    async def test_any_error_can_be_explained(self, payload: Any) -> None:
        """Nothing is raised, whatever a server has sent; remedies follow "To fix it: "."""
        async with running(self.make_host()) as host:
            models = self._open(host)
            for status, body in product(_STATUSES, (b"", b"<html>\xff")):
                failure = HostFailure(status=status, headers={}, payload=payload, body=body)
                _check_explanation(models.explain(failure))

    async def test_a_cancelled_request_leaves(self) -> None:
        """A caller may be cancelled while credentials are fetched."""
        async with running(self.make_host()) as host:
            await check_cancellation_leaves(self._open(host).address(_request()))

    async def test_credentials_that_cannot_be_had_are_an_error(self) -> None:
        """At the start or with the request, in bounded time, with what to do."""
        failing = require(self.make_failing_host(), "make_failing_host")
        expected = (ConfigurationError, AuthenticationError, ModelUnavailableError)
        with pytest.raises(expected, match="To fix it: "):
            async with running(failing) as host, asyncio.timeout(_BOUND_S):
                await self._open(host).address(_request())


def _request(
    model: str = "model-1", *, is_streamed: bool = True, refused: AddressedRequest | None = None
) -> HostedRequest:
    return HostedRequest(
        path="/v1/messages", model=model, is_streamed=is_streamed, body=b'{"a":1}', refused=refused
    )


def _check_address(addressed: AddressedRequest, models: HostedModels) -> None:
    url, base = urlsplit(addressed.url), urlsplit(models.base_url)
    assert addressed.url.isascii(), "an address has letters that do not travel"
    assert addressed.url.isprintable(), "an address has characters that control"
    assert " " not in addressed.url, "an address has blanks"
    assert (url.scheme, url.netloc) == (base.scheme, base.netloc), "it leads to another server"
    assert not url.fragment, "a fragment does not travel"
    _check_headers(addressed.headers)


def _check_headers(headers: Mapping[str, str]) -> None:
    assert headers, "nothing authenticates the request"
    for name, value in headers.items():
        assert name.isascii() and name.isprintable(), f"the header {name!r} cannot be sent"  # noqa: PT018
        assert value.isascii() and value.isprintable(), f"the value of {name} cannot be sent"  # noqa: PT018


def _check_explanation(explanation: HostExplanation) -> None:
    assert isinstance(explanation, HostExplanation)
    kind, remedy = explanation.error_type, explanation.remedy
    assert kind is None or issubclass(kind, ModelError), "it is not an error of a chat model"
    assert not remedy.startswith("To fix it"), "that is put in front of it"
    assert not remedy.endswith("."), "a remedy is a part of a sentence"
