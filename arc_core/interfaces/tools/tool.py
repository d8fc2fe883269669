"""Tools, and sources of them.

The engine calls a tool once per tool call of the model, concurrently for the calls of one turn,
after the arguments have been validated against `parameters`. Tools fail soft: an exception or a
time-out becomes a result that the model reads.
"""

from abc import abstractmethod
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from arc_core.components.extension_points import contribution, kept_by_wrappers, variant_for
from arc_core.error_base import ConfigurationError
from arc_core.interfaces.credentials import Credential
from arc_core.interfaces.run_scope import RunPart, RunScope
from arc_core.interfaces.tools.tool_requests import ToolRequests

_ANSWER: Mapping[str, Any] = {
    "type": "object",
    "properties": {"answer": {"type": "string"}},
    "required": ["answer"],
    "additionalProperties": False,
}
"""The schema of the answer to a question that has none of its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolContext(RunPart):
    """The run a tool is called in.

    Attributes:
        run_id: A UUID.
        call_id: The vendor's id of the call; vendors repeat and omit it.
        idempotency_key: Names the call of this run, also if a later process makes it again; what
            has an effect elsewhere hands it on.
        user_id: Who asks; `anonymous` if the command has no user.
        session_id: The conversation, if any.
        tenant_id: The user's company or team, if any.
        metadata: The command's, with what hooks added.
        scope: By which `get` finds components; None in tests that need none.
        reporter: Takes what `progress` is told; None if nothing reads the events of the run.
        requests: Takes what `ask`, `credential` and `begin` are told; None in tests without them.
    """

    run_id: str
    call_id: str
    user_id: str
    session_id: str | None = None
    tenant_id: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    idempotency_key: str = ""
    scope: RunScope | None = field(default=None, repr=False, compare=False)
    reporter: Callable[[str, float | None], Awaitable[None]] | None = field(
        default=None, repr=False, compare=False
    )

    requests: ToolRequests | None = field(default=None, repr=False, compare=False)

    async def ask(
        self,
        text: str,
        schema: Mapping[str, Any] | None = None,
        *,
        url: str | None = None,
        hold_s: float = 0.0,
    ) -> Mapping[str, Any]:
        """Ask the user a question, and return the answer.

        The run waits, for days if need be, and no process with it. Once there is an answer, the
        tool is called again from its beginning, with the same `idempotency_key`; then this returns
        the answer at once. So a tool asks before it does anything, and always in the same order.

        Args:
            text: The question, in words for people.
            schema: JSON Schema of the answer, of type `object`; None is one text, `answer`.
            url: An address at which the user can answer it, in the place of a form.
            hold_s: How long this call waits for the answer before the run does: for what cannot be
                begun anew at once, as another program that asks. Only a run whose events are read,
                or kept, is held, and for half of the time that it has left at the most.

        Returns:
            The fields of the answer, which fit the schema.

        Raises:
            ToolRetry: The user denies it, or does not answer in time. Let it pass: the model is
                told.
            ValueError: The text is blank, or the schema has a flaw.
            ConfigurationError: The call cannot wait: its effect has begun, or it is called without
                a run.
        """
        schema = _ANSWER if schema is None else schema
        return await self._require().ask(text, schema, url=url, hold_s=hold_s)

    async def credential(
        self, service: str, *, rejected: Credential | None = None, scopes: Sequence[str] = ()
    ) -> Credential:
        """Return the credential with which to act for the user at a service.

        Without one the run waits for a login of the user, as it waits for the answer to a question;
        then the tool is called again from its beginning.

        Args:
            service: The name of the service, as in `services`.
            rejected: What this has returned before, if the service has refused it.
            scopes: What the service wants beside what `rejected` is good for; the user is asked to
                allow these, too.

        Raises:
            ToolRetry: The user denies the login, or does not log in in time. Let it pass: the model
                is told.
            CredentialError: There is none, and a login would not help.
            ConfigurationError: The call cannot wait, as for `ask`.
        """
        return await self._require().credential(service, rejected, scopes)

    async def begin(self) -> None:
        """Note that the effect of the call begins: after this it asks nothing, and is not repeated.

        If the process ends before the call does, the model is told that it is unknown whether it
        took effect. A tool with `once` begins so by itself, and asks nothing after its effect.

        Raises:
            ConfigurationError: It is called without a run.
        """
        await self._require().begin()

    async def recall(self) -> Sequence[str]:
        """Return the texts that this call has remembered, in its earlier attempts too.

        Questions that were asked before the last of them are not asked again: `ask` goes on with
        the next. So a tool recalls before it asks, or not at all.
        """
        return () if self.requests is None else await self.requests.recall()

    async def remember(self, text: str) -> None:
        """Record a text with the run, before this returns: such as the id of a job to wait for.

        If the process ends before the call does, the tool is called again, in another process, and
        `recall` returns the text. Without a journal that keeps the run, it ends with the process.

        Args:
            text: For later attempts; it stands in the record of the run as it is.
        """
        if self.requests is not None:
            await self.requests.remember(text)

    @property
    def is_handed_over(self) -> bool:
        """True if a cancellation of the call is not its end: another process goes on with it.

        A tool that is cancelled then leaves as it is what it has begun elsewhere.
        """
        return self.requests is not None and self.requests.is_handed_over

    def _require(self) -> ToolRequests:
        if self.requests is None:
            raise ConfigurationError(
                "this tool call belongs to no run that could wait",
                remedy="ask an agent to call the tool",
            )
        return self.requests

    async def progress(self, message: str, fraction: float | None = None) -> None:
        """Tell how far the call is: a `ToolCallProgress` for those who read the run's events.

        Never waits for a reader: one who does not keep up misses reports. What comes after the end
        of the call is dropped.

        Args:
            message: For people, not for the model; secrets are masked, and 500 characters kept.
            fraction: What part is done; below 0 is 0, above 1 is 1, and None says nothing.

        Raises:
            TypeError: The message is not a text, or the fraction not a number.
        """
        if self.reporter is not None:
            await self.reporter(message, fraction)


@kept_by_wrappers(
    "needs_approval",
    "once",
    "qualified_name",
    "asks_agents",
    "always_offered",
    "may_ask",
    "source_instructions",
    "resources_at",
)
@contribution("tools", group="arc.tools", listed_by="tools.builtin", is_named_by_members=True)
@runtime_checkable
class Tool(Protocol):
    """Something the model may call. `@tool` makes one from a function.

    Attributes:
        name: Unique among the tools of a request; letters, digits, `_` and `-`, at most 64.
        description: Tells the model when to call it.
        parameters: JSON Schema of the arguments, of type `object`.
        timeout_s: Seconds a call may take; None is `concurrency.tool_call_timeout_s`.

    A tool may have `source_instructions`, a text on the use of it and of others: each such text of
    the tools on offer stands once at the end of the system prompt.

    A tool may have `resources_at`, the beginning of addresses, such as `mcp://files/`: what callers
    attach by such an address is what it returns, texts or attachments, of `{"address": rest}`.

    A tool that calls `ToolContext.ask` or `ToolContext.credential` has `may_ask = True`, too.
    """

    name: str
    description: str
    parameters: Mapping[str, Any]
    timeout_s: float | None

    @abstractmethod
    async def call(self, arguments: Mapping[str, Any], context: ToolContext) -> object:
        """Do the work.

        Args:
            arguments: Validated against `parameters`.
            context: The run.

        Returns:
            Text as it is for the model, anything else becomes compact JSON.
        """


@variant_for(Tool)
@runtime_checkable
class ToolSource(Protocol):
    """Tools that come and go while an application runs, such as those of another process.

    A source is contributed as a tool is. The engine asks it once per run, before it selects; its
    tools come after those of plugins, in the order of their sources. Fails open: a source that
    raises costs the run its tools.
    """

    @abstractmethod
    def tools(self) -> Sequence[Tool]:
        """The tools that can be called now; the same object as before if nothing has changed.

        Called on the event loop before each run: it answers at once, from what it knows.
        """
