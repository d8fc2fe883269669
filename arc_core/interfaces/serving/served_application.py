"""An application as surfaces see it, for callers over a network.

Everything that a caller names is checked against the key that it has shown: the tenant, the user,
the agent, and whose a run is. A run of others is as unknown as one that does not exist.
"""

from abc import abstractmethod
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, Protocol, runtime_checkable

from arc_core.approvals import ApprovalRequest, Approve, Deny
from arc_core.command import AgentCommand
from arc_core.events import AgentEvent, ToolCallProgress
from arc_core.interfaces.conversations.conversation_store import ConversationOwner
from arc_core.interfaces.optional import Health
from arc_core.messages import ToolResult
from arc_core.result import AgentResult
from arc_core.runs.store import RunSummary, Waiting

__all__ = [
    "Caller",
    "DecideRight",
    "ServedAgent",
    "ServedApplication",
    "ServedCall",
    "ServedRun",
    "ServedRuns",
    "ServedTool",
    "ServedTools",
]

DecideRight = bool | Literal["own"]
"""The right to decide about tool calls: none, about the runs of others, or about its own, too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """A caller over the network, as the key tells.

    Attributes:
        name: Of the key; audit logs and decisions have it.
        tenant_id: The tenant that the key is bound to; None is not bound.
        user_ids: The users that it may speak for; None is every user.
        agents: The agents that it may ask; None is every agent.
        decide: Whether it may decide about tool calls that wait: True about those of all runs but
            its own, "own" about those of every run that it sees, its own among them. None is True
            for a key that is bound to no users and no agents, and False for any other.
        groups: The names of groups that it belongs to, which `approvals.by` may name.
        instructions: Whether its system and developer messages may stand in the place of an agent's
            instructions. None is as for `decide`.
    """

    name: str
    tenant_id: str | None = None
    user_ids: frozenset[str] | None = None
    agents: frozenset[str] | None = None
    decide: DecideRight | None = None
    groups: frozenset[str] = frozenset()
    instructions: bool | None = None

    @property
    def is_unbound(self) -> bool:
        """True if the key is for every tenant, user and agent, as an operator's is."""
        return self.tenant_id is None and self.user_ids is None and self.agents is None

    @property
    def decide_right(self) -> DecideRight:
        """The right to decide that it has, with the default in the place of None."""
        if self.decide is not None:
            return self.decide
        return self.user_ids is None and self.agents is None

    @property
    def may_instruct(self) -> bool:
        """True if it has the right to instruct agents, with the default in the place of None."""
        if self.instructions is not None:
            return self.instructions
        return self.user_ids is None and self.agents is None


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
    """

    name: str
    description: str
    parameters: Mapping[str, Any]


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
        max_body_bytes: How large the body of a request may be, without what it attaches.
        max_attachment_bytes: How large the attachments of one request may be together.
        has_keys: Whether callers need a key.
        public_url: By which clients reach it, with a slash at its end; None: as they ask.
    """

    runs: "ServedRuns"
    tools: "ServedTools"
    max_body_bytes: int
    max_attachment_bytes: int
    has_keys: bool
    public_url: str | None

    @abstractmethod
    def agents(self, caller: Caller) -> Sequence[ServedAgent]:
        """The agents that a caller may ask, `default` first."""
        ...

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
        ...

    @abstractmethod
    def tell_waiting(self, run_id: str, requests: Sequence[ApprovalRequest]) -> str:
        """The words for callers of a run that waits for a person, as the settings have them.

        Args:
            run_id: The id of the run.
            requests: What has to be decided.
        """
        ...

    @abstractmethod
    async def health(self) -> Sequence[tuple[str, Health]]:
        """Return the health of each component that was checked."""
        ...

    @abstractmethod
    async def explain(self, view: str) -> Any:
        """Return the output of the command of the name with `--json`.

        Args:
            view: `components`, `conditions`, `plugins`, `config` or `agents`.
        """
        ...


@runtime_checkable
class ServedRun(Protocol):
    """A run that a caller holds.

    Attributes:
        run_id: Its id.
        readers: How many hold it in this process now.
    """

    run_id: str
    readers: int

    @abstractmethod
    def events(self, *, after: int = 0) -> AsyncGenerator[AgentEvent]:
        """Its events from one on, and those of runs below it, `RunFinished` last.

        A run that waits for a person ends with a `RunFinished` whose result has `waiting`.

        Args:
            after: The last `seq` of the run that the reader has; 0 has none.
        """
        ...

    @abstractmethod
    async def result(self) -> AgentResult[Any]:
        """Wait for its end; the result has `waiting` if a person has to decide first."""
        ...


@runtime_checkable
class ServedRuns(Protocol):
    """Runs, for callers with a key.

    Attributes:
        submitting_note: What callers are told of runs that they submit, if these need a worker that
            this process is not; empty if it works on them.

    Every method raises an `UnknownRunError` for a run that the caller may not see, and a
    `NotPermittedError` for a tenant, a user or an agent that the key is not for.
    """

    submitting_note: str

    @abstractmethod
    def begin(
        self,
        command: AgentCommand,
        *,
        caller: Caller,
        run_id: str | None = None,
        outlives_caller: bool = False,
    ) -> AbstractAsyncContextManager[ServedRun]:
        """Have a command run in this process, and hold the run.

        When the last who holds it leaves, it is cancelled, unless it is durable, waits for a
        person, or is to outlive its caller. A known id of the same command is that run.

        Args:
            command: What is asked. A tenant and a user that it leaves out are those of the key, if
                the key is for one.
            caller: Who asks.
            run_id: Of the run; None makes one.
            outlives_caller: Whether it goes on when it is not held any more.

        Raises:
            UnknownAgentError: There is no such agent.
            RunConflictError: There is a run of this id with another command.
            FormError: A durable run cannot keep what the command has.
        """
        ...

    @abstractmethod
    def attach(self, run_id: str, *, caller: Caller) -> AbstractAsyncContextManager[ServedRun]:
        """Hold a run that goes on, waits or has ended."""
        ...

    @abstractmethod
    async def submit(
        self,
        command: AgentCommand,
        *,
        caller: Caller,
        run_id: str | None = None,
        queue: str | None = None,
        not_before: datetime | None = None,
    ) -> str:
        """Have a command run, here or by a worker; its id. Raises as `begin` and a journal."""
        ...

    @abstractmethod
    async def find(self, run_id: str, *, caller: Caller) -> RunSummary:
        """Return the facts that are known of a run."""
        ...

    @abstractmethod
    async def result(self, run_id: str, *, caller: Caller) -> AgentResult[Any] | Waiting:
        """The end of a run, or where it is; does not wait."""
        ...

    @abstractmethod
    async def cancel(self, run_id: str, *, caller: Caller) -> None:
        """End a run, wherever it is."""
        ...

    @abstractmethod
    async def forget(self, run_id: str, *, caller: Caller) -> None:
        """Remove what is kept of a run that has ended.

        Raises:
            ConfigurationError: The journals cannot.
        """
        ...

    @abstractmethod
    async def decide(
        self, run_id: str, key: str, answer: Approve | Deny, *, caller: Caller
    ) -> ApprovalRequest | None:
        """Let a waiting tool call go on, or not; the name of the key is who has decided.

        Returns:
            The request, if another person has to approve it, too; else None.

        Raises:
            DecisionRightError: The key has no right to decide about this call.
            DecisionError: The call does not wait for it, or the tool does not take the arguments.
        """
        ...

    @abstractmethod
    def may_decide(self, request: ApprovalRequest, *, caller: Caller) -> bool:
        """Return whether the key of a caller has the right to decide about a call that waits."""
        ...

    @abstractmethod
    async def running_in(
        self,
        session_id: str,
        *,
        caller: Caller,
        user_id: str | None = None,
        tenant_id: str | None = None,
    ) -> str | None:
        """The id of the newest run of a conversation that has no end yet; None if there is none.

        Args:
            session_id: The conversation.
            caller: Who asks.
            user_id: Whose it is; None is the user of the key.
            tenant_id: In which tenant; None is that of the key.

        Raises:
            NotPermittedError: The key is not for the tenant or the user.
        """
        ...

    @abstractmethod
    async def waiting(
        self, *, caller: Caller, user_id: str | None = None
    ) -> Sequence[ApprovalRequest]:
        """Return the decisions that wait for people, oldest first; of one user, if one is named.

        A key with the right to decide about the runs of others gets their requests, too, also if
        it is bound to users.
        """
        ...


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
        ...

    @abstractmethod
    async def call(self, call: ServedCall, *, caller: Caller) -> ToolResult:
        """Call a tool; failures are results, with a text for a model.

        Raises:
            NotPermittedError: The key is not for the tenant or the user.
        """
        ...
