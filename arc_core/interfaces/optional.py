"""Optional interfaces of components; one is asked only if it has the members."""

from abc import abstractmethod
from collections.abc import AsyncGenerator, Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol, runtime_checkable

from arc_core.command import AgentCommand
from arc_core.events import AgentEvent
from arc_core.interfaces.models.chat_model import ChatRequest


class HealthStatus(StrEnum):
    """The outcome of a check."""

    OK = "ok"
    SKIPPED = "skipped"
    """There is nothing to check, since it is switched off, or no way to."""

    WARNING = "warning"
    """It works, but not as a user might expect."""

    ERROR = "error"
    """It does not work."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """The health of a component.

    Attributes:
        status: What the check came to.
        summary: What was found, in words for people, without credentials.
        remedy: What to do about it; None if nothing is to be done.
    """

    status: HealthStatus
    summary: str
    remedy: str | None = None


@runtime_checkable
class ChecksHealth(Protocol):
    """A component that can say if it would work, beyond having started.

    `Application.health()`, and with it `arc doctor`, asks each started component that has this
    method, within ten seconds. What it raises is an error of its own. `arc_core.health_checks` has
    the checks that components of one kind share.
    """

    @abstractmethod
    async def check_health(self) -> Health:
        """Try what a run would do: reach the server, write to the store. Leaves nothing behind."""


@runtime_checkable
class TakesInjection(Protocol):
    """A component with parameters that an application fills, as a function that is a tool has.

    The wiring asks each component of a contribution, once, while the application starts. A
    constructor needs nothing of this: its parameters are filled in any case.
    """

    @property
    def injected(self) -> Mapping[str, Any]:
        """The annotation of each parameter by its name, such as `Inject[Database]`."""
        ...

    @abstractmethod
    def has_default(self, parameter: str) -> bool:
        """True if the parameter may be left out, if there is not what it asks for."""

    @abstractmethod
    def fill(self, values: Mapping[str, object], *, per_call: Collection[str]) -> object:
        """The component that is used from then on, one that is filled.

        If it is another one, that is neither started nor closed: the one that was asked is.

        Args:
            values: What stays the same for all runs, by the name of the parameter.
            per_call: The names of those that belong to a run; `await context.get(annotation)` gives
                them in each call. Parameters in neither keep their default.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemaUpgrade:
    """The outcome of an upgrade.

    Attributes:
        place: The database, in words for people, without credentials.
        before: The revision that was found; None if there was no schema.
        after: The revision that is there now; the same if nothing was to be done.
    """

    place: str
    before: str | None
    after: str


@runtime_checkable
class UpgradesSchema(Protocol):
    """A component whose data has a schema that must fit this version of Arc.

    `arc db upgrade` asks, once, a conversation store that is also one of these. Such a component
    refuses to start on a schema that does not fit.
    """

    @abstractmethod
    async def upgrade_schema(self) -> SchemaUpgrade:
        """Create the schema or bring it up to date, keeping the data; the component is not started.

        Raises:
            ConfigurationError: The database cannot be reached or written, or its schema is newer
                than this version of Arc.
        """


@runtime_checkable
class NamesModel(Protocol):
    """A chat model that says which vendor and model it asks.

    The engine reads it when it records a model call.

    Attributes:
        provider_name: As OpenTelemetry's conventions call the vendor (`openai`, `anthropic`).
        default_model: What is asked for if a request names no model.
    """

    provider_name: str

    @property
    def default_model(self) -> str:
        """The vendor's name of it."""
        ...


@runtime_checkable
class AcceptsAttachments(Protocol):
    """A chat model that takes attachments in the messages of its requests.

    The engine asks before it sends any; to a model without this method it sends none. What the
    caller attached in vain ends the run with `INVALID_INPUT`; of what tools and earlier messages
    attach, a line of text is left.
    """

    @abstractmethod
    def accepts(self, media_type: str) -> bool:
        """True if an attachment of a media type, such as `image/png`, can be sent."""


@runtime_checkable
class AcceptsAddresses(Protocol):
    """A chat model that takes attachments, some of them only as bytes.

    The engine asks before it sends an attachment that has an address; without this method, the
    model is sent addresses of all types that it accepts.
    """

    @abstractmethod
    def accepts_address(self, media_type: str) -> bool:
        """True if the vendor fetches an attachment of a media type that the model accepts."""


@runtime_checkable
class EncodesRequests(Protocol):
    """A chat model that can say which bytes it would send.

    The engine asks once per turn of a run that is recorded, about what is new in its request, with
    ids of calls that Arc has made. The record keeps a digest, by which a replay finds out that the
    encoding has changed.
    """

    @abstractmethod
    def encode_request(self, request: ChatRequest) -> bytes:
        """Return the body of a request, the same for equal ones; sends nothing, needs no key."""


@runtime_checkable
class AnnouncesItself(Protocol):
    """A component that people should know something about, such as that it is only a stand-in.

    The command line asks a chat model once, before the first answer, and `arc budget show` asks
    what keeps budgets.
    """

    def announcement(self) -> str | None:
        """Return the text to show, a line or two; None if there is nothing to say."""
        ...


@runtime_checkable
class ParsesArguments(Protocol):
    """A tool that parses the model's JSON itself, more precisely than a JSON Schema can.

    The engine asks, once per tool call, a tool that is also one of these; for any other tool it
    parses the JSON and checks it against the tool's `parameters`.
    """

    @abstractmethod
    def parse_arguments(self, text: str) -> Mapping[str, Any]:
        """Arguments for `call`.

        Raises:
            ToolArgumentsError: They do not fit; names every field and what is wrong with it.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class PinnedTools:
    """The confirmed tools of one server.

    Attributes:
        server: Its name in the settings.
        place: The file that says so.
        tools: Their names on the server, each with a digest of what it says of itself.
    """

    server: str
    place: str
    tools: Sequence[tuple[str, str]]


@runtime_checkable
class PinsTools(Protocol):
    """A source of tools that can confirm them as they are now.

    `arc mcp pin` asks, once, every source of tools that is also one of these. What a person has
    confirmed is kept by the component, so that a tool that is described otherwise later is not
    offered.
    """

    async def pin_tools(self) -> Sequence[PinnedTools]:
        """Confirm all that is offered now by what the settings pin; the component is not started.

        Raises:
            ConfigurationError: Nothing is pinned by the settings, a server cannot be reached, or
                the file cannot be written.
        """
        ...


@runtime_checkable
class QualifiesTools(Protocol):
    """A source of tools that come from several places, which agents may tell apart.

    Each of its tools has a `qualified_name`, which begins with one of its qualifiers:
    `mcp:shop/find_order`. An agent that names tools by it need not wait until they are there. Of
    two tools with one name, that of a later place has the attribute `is_shadowed`, True: only
    agents get it that name it by its qualifier.

    Attributes:
        qualifiers: One for each place, in their order: `mcp:shop/`.
    """

    qualifiers: Sequence[str]


@runtime_checkable
class DeclaresPurity(Protocol):
    """A guard that says if its decisions depend on its requests and its settings alone.

    One that is pure is asked again when a run is replayed; what another one has decided is taken
    from the record of the run.

    Attributes:
        pure: Whether it decides alike of the same, at any time and in any process.
    """

    pure: bool


@runtime_checkable
class RemembersHandoffs(Protocol):
    """A conversation manager that remembers which agents have taken over in a session.

    The engine asks it in place of its own memory, which ends with the process: once before a run of
    an agent that may hand over, and once after a run that was handed over and has been saved.

    Attributes:
        remembers_handoffs: Whether it can; that may depend on its store.
    """

    remembers_handoffs: bool

    @abstractmethod
    async def load_handoffs(self, command: AgentCommand) -> Mapping[str, str]:
        """The agents that answer for others, by their names; none of another user's session."""

    @abstractmethod
    async def save_handoffs(self, command: AgentCommand, handoffs: Mapping[str, str]) -> None:
        """Replace those of the command's session."""


@runtime_checkable
class StreamsDocuments(Protocol):
    """An agent executor that streams JSON and YAML answers to readers who know of it.

    `Application.stream` asks such an executor, once per run, in the place of `stream_events`.
    """

    @abstractmethod
    def stream_documents(
        self, command: AgentCommand, *, deps: Any = None
    ) -> AsyncGenerator[AgentEvent]:
        """As `stream_events`; the text of JSON and YAML as the model writes it.

        The answer is read when it is complete, and repaired if need be: the repair is in the result
        and not among the pieces of text.
        """
