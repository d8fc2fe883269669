"""The suite for hosts fails for those that break their contract, and passes for good ones."""

import asyncio
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any
from urllib.parse import quote

from arc_core import (
    AddressedRequest,
    AuthenticationError,
    ConfigurationError,
    Host,
    HostedModels,
    HostedRequest,
    HostExplanation,
    HostFailure,
)
from arc_core.settings import LlmSettings
from arc_core.testing.conformance.models.host import HostConformance
from tests.arc_core.testing.conformance.suites import (
    Fault,
    FindsFaultOfEveryRule,
    make_good_suite,
    swallow_cancellation,
)

TOKEN = "token-of-the-gateway"


class GatewayModels(HostedModels):
    """At a gateway that knows models by their path and wants a token."""

    base_url = "https://gate.example/ai"
    added_fields: Mapping[str, Any] = {}
    omitted_fields: AbstractSet[str] = frozenset({"model"})
    request_id_headers: Sequence[str] = ("x-request-id",)
    fetches_addresses = True

    async def address(self, request: HostedRequest) -> AddressedRequest:
        url = f"{self.base_url}/{quote(request.model, safe='')}:ask"
        return AddressedRequest(url=url, headers={"Authorization": TOKEN}, secret=TOKEN)

    def open_frames(self, content_type: str) -> Any:
        return None

    def explain(self, failure: HostFailure) -> HostExplanation:
        return HostExplanation()


class GatewayHost(Host):
    """Opens the models of a class."""

    name = "gateway"
    models: type[GatewayModels] = GatewayModels

    def open(self, api: str, settings: LlmSettings) -> HostedModels:
        if api != "chat":
            raise ConfigurationError("no such API", remedy="choose another")
        return self.models()


class LockedModels(GatewayModels):
    async def address(self, request: HostedRequest) -> AddressedRequest:
        raise AuthenticationError("no token. To fix it: log in")


def at(models: type[GatewayModels]) -> type[GatewayHost]:
    """A host with these models."""
    return type(models.__name__.replace("Models", "Host"), (GatewayHost,), {"models": models})


class Suite(HostConformance):
    """All but the host."""

    api = "chat"

    def make_settings(self) -> LlmSettings:
        return LlmSettings(host="gateway")


TestGatewayHost = make_good_suite(Suite, GatewayHost, failing=at(LockedModels))


class NamelessHost(GatewayHost):
    name = " "


class SlashedModels(GatewayModels):
    base_url = "https://gate.example/"


class AnyApiHost(GatewayHost):
    def open(self, api: str, settings: LlmSettings) -> HostedModels:
        return GatewayModels()


class ElsewhereModels(GatewayModels):
    async def address(self, request: HostedRequest) -> AddressedRequest:
        return AddressedRequest(url="https://other.example/ai", headers={"Authorization": TOKEN})


class UnquotedModels(GatewayModels):
    async def address(self, request: HostedRequest) -> AddressedRequest:
        url = f"{self.base_url}/{request.model}:ask"
        return AddressedRequest(url=url, headers={"Authorization": TOKEN})


class CountingModels(GatewayModels):
    """Authenticates its first request alone."""

    def __init__(self) -> None:
        self.asked = 0

    async def address(self, request: HostedRequest) -> AddressedRequest:
        self.asked += 1
        found = await super().address(request)
        return found if self.asked == 1 else AddressedRequest(url=found.url, headers={})


class ShowingModels(GatewayModels):
    def __repr__(self) -> str:
        return f"GatewayModels(token={TOKEN})"


class Frames:
    """A decoder that all streams share."""

    def feed(self, piece: bytes) -> Sequence[tuple[bytes, bytes]]:
        return []

    def close(self) -> Sequence[tuple[bytes, bytes]]:
        return []


class SharingModels(GatewayModels):
    frames = Frames()

    def open_frames(self, content_type: str) -> Any:
        return self.frames


class TrustingModels(GatewayModels):
    """Believes that an error is an object."""

    def explain(self, failure: HostFailure) -> HostExplanation:
        return HostExplanation(remedy=failure.payload["error"]["code"])


class SwallowingModels(GatewayModels):
    async def address(self, request: HostedRequest) -> AddressedRequest:
        await swallow_cancellation()
        return await super().address(request)


class SilentModels(GatewayModels):
    async def address(self, request: HostedRequest) -> AddressedRequest:
        await asyncio.sleep(0)
        raise AuthenticationError("no token")


class TestFaults(FindsFaultOfEveryRule):
    """Each rule has a host that breaks it."""

    suite = Suite
    faults = (
        Fault(NamelessHost, "it_is_a_host", match="by its name"),
        Fault(at(SlashedModels), "it_opens_models", match="begin with /"),
        Fault(AnyApiHost, "an_api_that_it_does_not_speak_is_refused", match="DID NOT RAISE"),
        Fault(at(ElsewhereModels), "a_request_has_an_address", match="another server"),
        Fault(at(UnquotedModels), "a_name_of_a_model_changes_no_address", "a?b", match="a query"),
        Fault(at(UnquotedModels), "a_name_of_a_model_changes_no_address", "a b", match="blanks"),
        Fault(at(CountingModels), "many_requests_at_once_are_addressed", match="authenticates"),
        Fault(at(CountingModels), "a_refused_request_is_addressed_anew", match="authenticates"),
        Fault(at(ShowingModels), "a_host_shows_no_secret", match="shows its secret"),
        Fault(at(SharingModels), "a_stream_has_a_decoder_or_is_of_events", "", match="share"),
        Fault(at(TrustingModels), "any_error_can_be_explained", None, error=TypeError),
        Fault(at(SwallowingModels), "a_cancelled_request_leaves", match="swallows"),
        Fault(
            at(SilentModels), "credentials_that_cannot_be_had_are_an_error", match="did not match"
        ),
    )
