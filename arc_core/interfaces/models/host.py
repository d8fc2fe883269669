"""A host: where a vendor's models are served by another company, such as a cloud.

`llm.host` names one. A chat model asks it once, when it starts, and what it gives for each request.
A host knows addresses, credentials and framing; the chat model knows what is in a request and in an
answer. Fails closed: a request is sent nowhere else, and never without what authenticates it.
"""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from arc_core.components.extension_points import contribution
from arc_core.errors import ModelError
from arc_core.settings import LlmSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class HostedRequest:
    """A request as the vendor itself would take it.

    Attributes:
        path: Behind the vendor's base URL, with a slash at its beginning.
        model: The name of the model, as users write it for the host.
        is_streamed: Whether the answer is to come in pieces.
        body: JSON, without the fields that the host leaves out.
        refused: What was sent before, if the host refused its credentials: fetch others. Else None.
    """

    path: str
    model: str
    is_streamed: bool
    body: bytes
    refused: "AddressedRequest | None" = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AddressedRequest:
    """A request as it is sent, by POST.

    Attributes:
        url: The whole address, in the characters that travel.
        headers: What authenticates it, and what else the host wants.
        credential: The host's own, to know it again if it is refused; never printed.
        secret: What must not be printed of an error; None if nothing secret is sent as it is.
    """

    url: str
    headers: Mapping[str, str]
    credential: object = None
    secret: str | None = None

    def __repr__(self) -> str:
        return f"{type(self).__name__}(url={self.url!r})"


@dataclass(frozen=True, slots=True, kw_only=True)
class HostFailure:
    """An answer that is an error.

    Attributes:
        status: Of the response; None for an error in the middle of a stream.
        headers: Of the response, told apart without regard to case; empty within a stream.
        payload: The JSON of the body or of the event; None if it is none.
        body: The first bytes of the body, or of the event.
    """

    status: int | None
    headers: Mapping[str, str]
    payload: Any
    body: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class HostExplanation:
    """The meaning of an error at a host.

    Attributes:
        error_type: What it is; None leaves that to the vendor's own table.
        remedy: What to do about it, behind "To fix it: "; empty if nothing is known.
        is_credential: Whether others might be taken: the request is sent once more with new ones.
    """

    error_type: type[ModelError] | None = None
    remedy: str = ""
    is_credential: bool = False


@contribution("hosts", group="arc.hosts", is_chosen_by_name=True)
@runtime_checkable
class Host(Protocol):
    """A host of models. One that keeps credentials is shared by all models that are asked there.

    Attributes:
        name: By which `llm.host` chooses it.
    """

    name: str

    @abstractmethod
    def open(self, api: str, settings: LlmSettings) -> "HostedModels":
        """Return the models of a section of the settings; fetches nothing.

        Args:
            api: What the chat model speaks: `chat`, `responses`, `messages`, `gemini`, or that of
                another vendor.
            settings: Those of the model.

        Raises:
            ConfigurationError: The host does not serve that API, something is not set, or
                credentials cannot be found: says which were looked for, in their order.
        """


@runtime_checkable
class FrameDecoder(Protocol):
    """Parts a stream into events, the same for every way of cutting it."""

    @abstractmethod
    def feed(self, piece: bytes) -> Sequence[tuple[bytes, bytes]]:
        """The name, mostly empty, and the data of each event that a piece completes.

        Raises:
            PayloadError: The host says that it failed (`arc_core.wire.http_chat_model`).
            ModelError: The bytes are not what the host sends.
        """

    @abstractmethod
    def close(self) -> Sequence[tuple[bytes, bytes]]:
        """The events that the end completes."""


@runtime_checkable
class HostedModels(Protocol):
    """The models of one section of the settings, at a host.

    Attributes:
        base_url: The address in front of all paths, by which people know the server.
        added_fields: What the host wants in every body.
        omitted_fields: What it does not take in bodies: `model`, `stream`.
        request_id_headers: Where it names a request, for the log; the first one counts.
        fetches_addresses: Whether attachments may be sent by their address.
    """

    base_url: str
    added_fields: Mapping[str, Any]
    omitted_fields: AbstractSet[str]
    request_id_headers: Sequence[str]
    fetches_addresses: bool

    @abstractmethod
    async def address(self, request: HostedRequest) -> AddressedRequest:
        """Name the address and add what authenticates a request, fetched or renewed if need be.

        Raises:
            AuthenticationError: There are no credentials, or they were refused.
            ModelUnavailableError: They did not come in time.
        """

    @abstractmethod
    def open_frames(self, content_type: str) -> "FrameDecoder | None":
        """A decoder for one stream; None for server-sent events."""

    @abstractmethod
    def explain(self, failure: HostFailure) -> HostExplanation:
        """Say what an error means, by its type."""
