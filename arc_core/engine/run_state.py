"""The state of one run, shared by the stages it passes."""

import asyncio
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, TypedDict
from uuid import uuid4

from arc_core.agents.agent import DEFAULT_AGENT
from arc_core.command import AgentCommand, identity_of
from arc_core.engine.event_channel import EventChannel
from arc_core.engine.journal.metadata import RunMetadata
from arc_core.engine.journal.recorder import NO_RECORDER, RunRecorder
from arc_core.engine.journal.records import HiddenPart, QuestionStep
from arc_core.engine.kept_results import KeptResults, ReadResultTool
from arc_core.engine.late_scope import LateRunScope
from arc_core.errors import AgentErrorCode
from arc_core.events import AgentEvent, ReasoningDelta, TextDelta
from arc_core.interfaces.hook import HookContext
from arc_core.interfaces.models.chat_model import ChatRequest, ChatResponse
from arc_core.interfaces.run_scope import RunScope, RunScopes
from arc_core.interfaces.tools.tool import Tool
from arc_core.messages import AssistantMessage, Message
from arc_core.messages.content import Attachment
from arc_core.requests import Request
from arc_core.result import AgentResult
from arc_core.settings import AgentSettings
from arc_core.usage import FinishReason, TokenUsage


class RunFacts(TypedDict):
    """The facts of a run that every guard decides by."""

    agent: str
    user_id: str
    session_id: str | None
    tenant_id: str | None
    metadata: dict[str, Any]
    scope: RunScope | None


def get_run_facts(context: HookContext) -> RunFacts:
    """Return the facts of a run for the request of a guard."""
    return {
        "agent": context.agent,
        "user_id": context.user_id,
        "session_id": context.session_id,
        "tenant_id": context.tenant_id,
        "metadata": context.metadata,
        "scope": context.scope,
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class DelegatedTask:
    """A task on its way to another agent.

    Attributes:
        command: For that agent, with the task as the model has written it.
        shown: The task as everyone but that agent may see it.
        call_index: The place of the call among all calls of the run that asks.
    """

    command: AgentCommand
    shown: str
    call_index: int


_NOTHING = Decimal(0)
REFUSED_ONE_BY_ONE = 100
"""Calls over the limit whose model is told so; of more it would learn nothing."""


class RunStoppedError(Exception):
    """A stage ends the run without an answer; never leaves the engine.

    Attributes:
        code: Why.
        message: For people; None is the resolver's text for the code.
        retry_after_s: After how many seconds the same may succeed; None if that is not known.
    """

    def __init__(
        self,
        code: AgentErrorCode,
        message: str | None = None,
        *,
        retry_after_s: float | None = None,
    ) -> None:
        super().__init__(code)
        self.code, self.message, self.retry_after_s = code, message, retry_after_s


@dataclass(slots=True, eq=False)
class RunsBelow:
    """The runs that a run has started while it passes its stages.

    Attributes:
        tasks: Of runs that components have asked for, and that go on.
        runs: By the steps of the run in which they were started, if these are recorded.
        requests: What people have to decide in them, by these steps.
        questions: How often the same was asked in a step.
        noted: The tool calls of which it is recorded that they have started runs.
    """

    tasks: "dict[asyncio.Task[AgentResult], ActiveRun]" = field(default_factory=dict)
    runs: "dict[str, list[ActiveRun]]" = field(default_factory=dict)
    requests: dict[str, list[Request]] = field(default_factory=dict)
    questions: defaultdict[str, int] = field(default_factory=lambda: defaultdict(int))
    noted: set[str] = field(default_factory=set)


@dataclass(slots=True, kw_only=True)
class ActiveRun:
    """One run on its way.

    Attributes:
        command: With the prompt as the model sees it.
        hook_context: What hooks are told; `metadata` is one dictionary for the whole run.
        scope: Has the components of the run, once one is asked for.
        run_id: A UUID.
        channel: Where events go; None for `execute()`.
        caller: The run that has started it; None if a program has.
        recorder: Takes its steps.
        answers_asked: How often the model was asked, in this life or in an earlier one.
        attempts_of_last_call: How often models were asked, retries and fallbacks among them, until
            there was the last answer.
        has_other_files: Whether guards have changed what the caller attached.
        deadline: When its time is over, of its active time alone; None before it is let in, and at
            its end.
        ended: Is done at its end, for the caller that waits; None if none does.
        start_inner: Starts a run of another agent; awaited, it gives the result.
        asked_in: The step of its caller in which it was started; empty between steps.
        texts_only: Whether the reader takes pieces of text in place of their events.
        is_prompt_hidden: Whether only the model may see the prompt as it is; hooks have what of it
            output guards have let leave.
        hands_over_to: The agent that takes over after this turn, if any.
        handoffs: Who has handed over to whom, in their order.
        untold: The events of requests to people that the journal does not have yet, by their keys.
        earlier_handoffs: Who answers for whom in the session, from runs before.
        offered_tools: What its session is to be offered again, by the commands of its agents.
        user_tools: The tools that sources have for its user alone, by their qualifiers.
        start_logins: For which it has waited before its agents could begin, in their order.
        last_seq: How many events have gone there.
        streams_documents: Whether the reader of the events knows what to do with JSON and YAML.
        has_agent: Whether there is the agent that was asked.
        passed_hooks: Whether guards and start hooks have let the run in.
        model_calls_made: Turns of the model, those of all runs below too; no last answers.
        tokens_of_last_call: Of the model; 0 if none was made. Without limits, 0 if none were told.
        estimate: The last request of which the tokens were estimated, and how many these are.
        estimated_tokens: Those that no vendor has counted, of all runs below too, if it has limits.
        tool_calls_of_tree: Those of all runs below too.
        tool_calls_made: Counts every call of the model, invented and rejected ones too.
        max_calls_of_turn: How many of the next answer are kept, some over the limit among them.
        tools_used: Names in first-call order (an ordered set).
        repeatable: Whether an identical run would get the same: no tool has failed or forbids it.
        handed_out: The pieces of text the caller has got.
        thoughts_handed_out: How many pieces of reasoning the caller has got.
        thoughts: The reasoning of all model calls that people may read, in its order.
        finish_reason: Why the model stopped when it answered; None if it is not known.
        cache_hit: Whether the answer comes from the response cache.
        dropped_messages: How many messages did not fit into the last request.
        history_sent: How many messages of it stand before the question.
        history_available: Whether the conversation so far could be loaded.
        messages: What the run has added to the conversation so far.
        attachment_bytes: Of all that the model is sent with the messages of the run.
        kept: The tool results that the model is not shown whole; None before there is one.
        own_tools: Tools of Arc's own that are offered behind all others.
        keeps_results: Whether its model can ask for what it is not shown of a result.
        free_reads: How many of its tool calls do not count, since they only read results.
        compactions: How often room was made in its conversation.
        model_name: The name in `llm.models` of the model that was asked last; None for that of
            `llm` itself.
        vendor_model: The vendor's name of it, if it is known.
        cost: Of all model calls together; None if none was made, or if that of one is not known.
        is_cost_known: Whether that of each call is known.
        cost_of_last_call: Of the model; 0 if none was made, or if it is not known.
        provider: The vendor that was asked, if it is known.
    """

    run_id: str
    command: AgentCommand
    hook_context: HookContext
    scope: LateRunScope
    channel: EventChannel | None
    started: float
    caller: "ActiveRun | None" = None
    start_inner: "Callable[[ActiveRun, DelegatedTask], Awaitable[AgentResult]] | None" = None
    recorder: RunRecorder = NO_RECORDER
    answers_asked: int = 0
    attempts_of_last_call: int = 0
    has_other_files: bool = False
    deadline: asyncio.Timeout | None = None
    ended: asyncio.Future[None] | None = None
    _below: RunsBelow | None = field(default=None, init=False)
    asked_in: str = ""
    texts_only: bool = False
    is_prompt_hidden: bool = False
    hands_over_to: str | None = None
    handoffs: list[tuple[str, str]] = field(default_factory=list)
    untold: dict[str, AgentEvent] = field(default_factory=dict)
    earlier_handoffs: Mapping[str, str] = field(default_factory=dict)
    offered_tools: list[tuple[AgentCommand, frozenset[str]]] = field(default_factory=list)
    user_tools: dict[str, Sequence[Tool]] = field(default_factory=dict)
    start_logins: list[QuestionStep] = field(default_factory=list)
    last_seq: int = 0
    streams_documents: bool = False
    has_agent: bool = True
    passed_hooks: bool = False
    model_calls_made: int = 0
    tokens_of_last_call: int = 0
    estimate: tuple[ChatRequest | None, int] = (None, 0)
    estimated_tokens: int = 0
    tool_calls_of_tree: int = 0
    tool_calls_made: int = 0
    max_calls_of_turn: int = REFUSED_ONE_BY_ONE
    tools_used: dict[str, None] = field(default_factory=dict)
    repeatable: bool = True
    token_usage: TokenUsage | None = None
    handed_out: list[str] = field(default_factory=list)
    thoughts_handed_out: int = 0
    thoughts: list[str] = field(default_factory=list)
    finish_reason: FinishReason | None = None
    cache_hit: bool = False
    dropped_messages: int = 0
    history_sent: int = 0
    history_available: bool = True
    messages: list[Message] = field(default_factory=list)
    attachment_bytes: int = 0
    kept: KeptResults | None = None
    own_tools: tuple[Tool, ...] = ()
    keeps_results: bool = True
    free_reads: int = 0
    compactions: int = 0
    model_name: str | None = None
    vendor_model: str | None = None
    cost: Decimal | None = None
    is_cost_known: bool = True
    cost_of_last_call: Decimal = _NOTHING
    provider: str | None = None

    @classmethod
    def of(
        cls,
        command: AgentCommand,
        channel: EventChannel | None = None,
        *,
        scopes: RunScopes | None = None,
        deps: Any = None,
        caller: "ActiveRun | None" = None,
        run_id: str | None = None,
        may_wait: bool = False,
    ) -> "ActiveRun":
        """A new run, with an id of its own unless one is given; it gets notes if it may wait."""
        run_id, given = run_id or str(uuid4()), command.metadata
        metadata = RunMetadata(given) if may_wait else dict(given)
        now = datetime.now(UTC)
        scope = LateRunScope(
            scopes, run_id=run_id, command=command, metadata=metadata, deps=deps, now=now
        )
        context = HookContext(
            run_id=run_id,
            agent=command.agent or DEFAULT_AGENT,
            user_id=identity_of(command.user_id),
            session_id=command.session_id,
            tenant_id=command.tenant_id,
            user_prompt=command.user_prompt,
            started_at=now,
            metadata=metadata,
            parent_run_id=None if caller is None else caller.run_id,
            is_recorded=may_wait,
            scope=scope,
        )
        return cls(
            run_id=run_id,
            command=command,
            hook_context=context,
            scope=scope,
            channel=channel,
            caller=caller,
            started=time.perf_counter(),
        )

    @property
    def has_runs_below(self) -> bool:
        """True if it may have started runs; most start none."""
        return self._below is not None

    @property
    def below(self) -> RunsBelow:
        """The runs that it has started."""
        below = self._below = self._below or RunsBelow()
        return below

    @property
    def is_without_limits(self) -> bool:
        """True if neither it nor a run above has limits of its own."""
        has_none = self.command.limits is None
        return has_none and (self.caller is None or self.caller.is_without_limits)

    @property
    def depth(self) -> int:
        """The number of runs that it stands below."""
        return 0 if self.caller is None else self.caller.depth + 1

    @property
    def root(self) -> "ActiveRun":
        """The run that a program has started: itself, or one above."""
        return self if self.caller is None else self.caller.root

    def list_lineage(self) -> Iterator["ActiveRun"]:
        """Itself, and the runs above it."""
        run: ActiveRun | None = self
        while run is not None:
            yield run
            run = run.caller

    @property
    def agent(self) -> str:
        """The name of the agent that was asked."""
        return self.hook_context.agent

    @property
    def model(self) -> str | None:
        """The name of the model that was asked last: that in `llm.models`, else the vendor's."""
        return self.model_name or self.vendor_model

    @property
    def streaming(self) -> bool:
        """True if text is handed out as it comes."""
        return self.channel is not None

    @property
    def is_heard(self) -> bool:
        """True if its caller has its text before its end, so that the end must be the same."""
        return self.channel is not None and not self.channel.is_published

    @property
    def has_own_reader(self) -> bool:
        """True if its events have a reader, and not that of the run above."""
        return self.channel is not None and (
            self.caller is None or self.caller.channel is not self.channel
        )

    @property
    def duration_ms(self) -> float:
        """Since the run was accepted, without the time in which it was nowhere."""
        return (time.perf_counter() - self.started) * 1000

    @property
    def metadata(self) -> dict[str, Any]:
        """The metadata of callers, hooks and tools."""
        return self.hook_context.metadata

    @property
    def reasoning(self) -> str | None:
        """The reasoning of the model so far, as far as people may read it."""
        return "\n\n".join(self.thoughts) or None

    @property
    def pieces_handed_out(self) -> int:
        """The number of pieces of text and reasoning that the caller has got."""
        return len(self.handed_out) + self.thoughts_handed_out

    @property
    def spent(self) -> Decimal:
        """The cost of all model calls together, as far as it is known."""
        return self.cost or _NOTHING

    @property
    def said(self) -> str | None:
        """The text of the model in turns that called tools, whether the caller has it or not."""
        texts = [each.text for each in self.messages if isinstance(each, AssistantMessage)]
        return "".join(texts) or None

    @property
    def partial_content(self) -> str | None:
        """The text the caller has got so far."""
        return "".join(self.handed_out) or None

    def go_on_after(self, active_s: float) -> None:
        """Count as active what the run has been in earlier lives, towards its deadline, too."""
        earlier_s = active_s - self.duration_ms / 1000
        if earlier_s <= 0:
            return
        self.started -= earlier_s
        deadline = self.deadline
        if deadline is not None and (when := deadline.when()) is not None:
            deadline.reschedule(when - earlier_s)

    def seconds_left(self) -> float | None:
        """Until its deadline, or that of a run above it, is over; None without one."""
        deadlines = (run.deadline for run in self.list_lineage())
        ends = [end for each in deadlines if each is not None and (end := each.when()) is not None]
        return min(ends) - asyncio.get_running_loop().time() if ends else None

    async def keep_result(
        self, key: str, visible: str, hidden: HiddenPart | None = None, *, settings: AgentSettings
    ) -> None:
        """Keep a tool result for the model, and offer it the tool that reads results again."""
        if self.kept is None:
            self.kept = KeptResults(settings, lambda: self.recorder)
            self.own_tools = (ReadResultTool(self.kept, settings=settings),)
        await self.kept.keep(key, visible, hidden)

    def record(self, recorder: RunRecorder, metadata: RunMetadata) -> None:
        """Have a journal keep the steps from now on, and let hooks know of it."""
        self.recorder = recorder
        context = self.hook_context
        if not context.is_recorded or context.metadata is not metadata:
            self.scope.metadata = metadata
            self.hook_context = replace(context, is_recorded=True, metadata=metadata)

    def go_on_with(self, prompt: str, attachments: tuple[Attachment, ...]) -> None:
        """Go on with a prompt and files that guards have normalised, if they are others."""
        command = self.command
        if prompt == command.user_prompt and attachments is command.attachments:
            return
        self.has_other_files = attachments is not command.attachments
        self.command = command.model_copy(
            update={"user_prompt": prompt, "attachments": attachments}
        )
        if not self.is_prompt_hidden:
            self.hook_context = replace(self.hook_context, user_prompt=prompt)

    def show_prompt(self, shown: str) -> None:
        """Let hooks and messages have another prompt than the model gets, if it is another one."""
        self.is_prompt_hidden = shown != self.command.user_prompt
        self.hook_context = replace(self.hook_context, user_prompt=shown)

    def hand_over(self, command: AgentCommand) -> None:
        """Go on with another agent."""
        self.handoffs.append((self.agent, command.agent or DEFAULT_AGENT))
        self.hands_over_to = None
        self.repeatable = False  # the same question to the same agents may be answered by another
        self.put_in_charge(command)

    def put_in_charge(self, command: AgentCommand) -> None:
        """Let another agent answer, by a command with what that fills in."""
        self.command = command
        self.scope.command = command
        self.hook_context = replace(self.hook_context, agent=command.agent or DEFAULT_AGENT)

    def add_response(self, response: ChatResponse) -> None:
        """Count a model call, for all runs above, too, and remember what the model thought."""
        for block in response.message.reasoning:
            if block.text:
                self.thoughts.append(block.text)
        self.tokens_of_last_call = 0 if response.usage is None else response.usage.total_tokens
        if response.usage is not None:
            self.add_usage(response.usage)

    def add_usage(self, usage: TokenUsage) -> None:
        """Count tokens, for all runs above, too."""
        self.token_usage = usage if self.token_usage is None else self.token_usage + usage
        if self.caller is not None:
            self.caller.add_usage(usage)

    def count_model_call(self) -> None:
        """Count a turn, for all runs above, too; before it, since others go on at the same time."""
        self.model_calls_made += 1
        if self.caller is not None:
            self.caller.count_model_call()

    def count_tool_call(self) -> None:
        """Count a call of a tool, for all runs above, too."""
        self.tool_calls_of_tree += 1
        if self.caller is not None:
            self.caller.count_tool_call()

    def add_cost(self, cost: Decimal | None) -> None:
        """Add what a model call has cost, for all runs above, too.

        After one whose cost is not known, the sum is not.
        """
        self.cost_of_last_call = cost or _NOTHING
        run: ActiveRun | None = self
        while run is not None:
            if cost is None:
                run.cost, run.is_cost_known = None, False
            elif run.is_cost_known:
                run.cost = cost if run.cost is None else run.cost + cost
            run = run.caller

    def cost_since(self, before: Decimal | None) -> Decimal | None:
        """The cost of the calls since it was another sum; None if that is not known."""
        return self.cost if self.cost is None or before is None else self.cost - before

    def hand_out(self, text: str) -> Awaitable[None] | None:
        """Give the caller a piece of text, and remember that it has it.

        Returns what to await before the next piece; None if there is room, as there mostly is.
        """
        self.handed_out.append(text)
        channel = self.channel
        if channel is None:
            return None
        if self.texts_only:
            return None if channel.offer(text) else channel.put(text)
        number = self.last_seq + 1
        if not channel.offer(TextDelta(text, self.run_id, number)):
            return self.emit(TextDelta(text))
        self.last_seq = number
        return None

    async def hand_out_thought(self, text: str) -> None:
        """Give the caller a piece of reasoning, and remember that it has it."""
        self.thoughts_handed_out += 1
        await self.emit(ReasoningDelta(text))

    async def emit(self, event: AgentEvent) -> None:
        """Tell the caller of a stream; nothing happens for `execute()`.

        The event gets its number only when there is room for it: other tasks of the run may tell
        theirs meanwhile.
        """
        channel = self.channel
        if channel is None:
            return
        while not self.offer(event):
            await channel.wait_for_room()

    def offer(self, event: AgentEvent) -> bool:
        """Tell the caller of a stream; False if there is no room for the event now."""
        channel, number = self.channel, self.last_seq + 1
        if channel is None:
            return True
        if not channel.offer(replace(event, run_id=self.run_id, seq=number)):
            return False
        self.last_seq = number
        return True
