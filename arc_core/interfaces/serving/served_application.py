"""An application as surfaces see it, for callers over a network.

Everything that a caller names is checked against the key that it has shown: the tenant, the user,
the agent, and whose a run is. A run of others is as unknown as one that does not exist.
"""

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from arc_core.events import ToolCallProgress
from arc_core.interfaces.conversations.conversation_store import ConversationOwner
from arc_core.interfaces.optional import Health
from arc_core.interfaces.serving.served_records import ServedRecords
from arc_core.messages import ToolResult
from arc_core.requests import Request
from arc_core.runs.callers import Caller
from arc_core.runs.runs import Runs


@dataclass(frozen=True, slots=True, kw_only=True)
class ServedAgent:
    """An agent that a caller may ask.

    Attributes:
        name: Its name.
        description: What it is for, in words for people and models; may be empty.
        examples: Questions that people may begin with.
    """

    name: str
    description: str = ""
    examples: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ServedTool:
    """A tool that a caller may call without an agent.

    Attributes:
        name: Unique.
        description: Tells a model when to call it.
        parameters: JSON Schema of the arguments, of type `object`.
        may_wait: Whether a call may have to wait for a person. It is made as a run then, whose
            command has it as its `tool_call`; `ServedTools.call` cannot wait.
    """

    name: str
    description: str
    parameters: Mapping[str, Any]
    may_wait: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ServedCall:
    """A call of a tool from outside.

    Attributes:
        tool: The name of the tool.
        arguments: As the caller sent them; validated before the call.
        user_id: For whom it is; None is the user of the key, if that is for one.
        session_id: The conversation, if any.
        tenant_id: The tenant; None is that of the key.
        report: Takes the progress that the tool reports; None if nothing reads it.
    """

    tool: str
    arguments: Mapping[str, Any]
    user_id: str | None = None
    session_id: str | None = None
    tenant_id: str | None = None
    report: Callable[[ToolCallProgress], None] | None = field(
        default=None, repr=False, compare=False
    )


@runtime_checkable
class ServedApplication(Protocol):
    """An application behind HTTP.

    Attributes:
        runs: Its runs.
        tools: Its tools.
        records: What its runs have recorded, for those with the right to see it.
        max_body_bytes: How large the body of a request may be, without what it attaches.
        max_attachment_bytes: How large the attachments of one request may be together.
        has_keys: Whether callers need a key.
        public_url: By which clients reach it, with a slash at its end; None: as they ask.
    """

    runs: Runs
    tools: "ServedTools"
    records: ServedRecords
    max_body_bytes: int
    max_attachment_bytes: int
    has_keys: bool
    public_url: str | None

    @abstractmethod
    def agents(self, caller: Caller) -> Sequence[ServedAgent]:
        """The agents that a caller may ask, `default` first."""

    @abstractmethod
    def owner(
        self, caller: Caller, *, user_id: str | None = None, tenant_id: str | None = None
    ) -> ConversationOwner:
        """Return the owner of a request's conversations, as that of its runs would be.

        Args:
            caller: Who asks.
            user_id: Whom the request names; None is the user of a key for a single one.
            tenant_id: Which tenant it names; None is that of the key.

        Raises:
            NotPermittedError: The key is not for the tenant or the user.
        """

    @abstractmethod
    def tell_waiting(self, run_id: str, requests: Sequence[Request]) -> str:
        """The words for callers of a run that waits for a person, as the settings have them.

        Args:
            run_id: The id of the run.
            requests: What has to be decided.
        """

    @abstractmethod
    async def health(self) -> Sequence[tuple[str, Health]]:
        """Return the health of each component that was checked."""

    @abstractmethod
    async def explain(self, view: str) -> Any:
        """Return the output of the command of the name with `--json`.

        Args:
            view: `components`, `conditions`, `plugins`, `config` or `agents`.
        """


@runtime_checkable
class ServedTools(Protocol):
    """The tools of an application, called without a model, as its engine calls them.

    Arguments are validated, hooks asked and told, the time-out holds, and the text of an exception
    does not leave. A tool that needs a person's approval, or a value of the run's caller, is not
    offered; a key that is for some agents is for no tools.
    """

    @abstractmethod
    def list_for(self, caller: Caller) -> Sequence[ServedTool]:
        """The tools that there are at this moment, unique by name."""

    @abstractmethod
    async def call(self, call: ServedCall, *, caller: Caller) -> ToolResult:
        """Call a tool; failures are results, with a text for a model.

        Raises:
            NotPermittedError: The key is not for the tenant or the user.
        """
