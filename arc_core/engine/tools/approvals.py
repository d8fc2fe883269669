"""Decides which tool calls wait for approval, and reads the decisions of people."""

import inspect
import json
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from fnmatch import fnmatchcase
from functools import partial
from hashlib import sha256
from typing import Any

from arc_core.agents.tools import AgentTool, HandoffTool
from arc_core.engine.boundary import policies
from arc_core.engine.boundary.boundary import Boundary, Failed, is_said_beside, peek_attribute
from arc_core.engine.guards.output_guards import OutputGuards
from arc_core.engine.journal.recorder import EarlierCall, Settled
from arc_core.engine.journal.records import ApprovalStep, Verdict
from arc_core.engine.journal.step_forms import JUDGED
from arc_core.engine.run_state import ActiveRun
from arc_core.engine.tools.tool_inventory import Inventory
from arc_core.engine.tools.tool_selection import ToolOffering
from arc_core.events import ApprovalRequested
from arc_core.interfaces.hook import ToolCallContext
from arc_core.interfaces.tools.approval_policy import ApprovalPolicy, Ask, PolicyResult
from arc_core.interfaces.tools.tool import Tool
from arc_core.log import get_logger
from arc_core.messages import ToolCall
from arc_core.requests import Answer, ApprovalRequest, Approve, Deny
from arc_core.runs.journal import RunSuspended
from arc_core.settings import ApprovalsSettings, DecidersSettings

logger = get_logger("approvals")

_NOT_CHECKED = "a policy could not be checked"
_NO_REASON = "no reason was given"
_EVERY_DECIDER = DecidersSettings()
_INTERRUPTED = (
    "This call was being made when its process ended, and it is unknown whether it took effect. "
    "Approve it to have it made again, deny it to leave it at that."
)


FindProblems = Callable[[Tool, str], Awaitable[Sequence[str]]]
"""The problems of arguments, as JSON, with a tool; none if they fit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedCall:
    """A tool call that a person may have to be asked about.

    Attributes:
        run: That calls.
        key: Of the step in which it is decided.
        call: As the model wrote it.
        tool: That is called; None if there is none of this name.
        context: With the arguments, parsed.
        shown: The arguments as a person may see them.
        earlier: What is recorded of the call.
        find_problems: Checks arguments.
    """

    run: ActiveRun
    key: str
    call: ToolCall
    tool: Tool | None
    context: ToolCallContext
    shown: Mapping[str, Any]
    earlier: EarlierCall
    find_problems: FindProblems

    def with_arguments(self, arguments: str) -> "AskedCall":
        """The same question about other arguments, which a person has written."""
        shown: Mapping[str, Any] = json.loads(arguments)
        call = replace(self.call, arguments=arguments)
        return replace(self, call=call, context=replace(self.context, arguments=shown), shown=shown)

    def request(self, judged: ApprovalStep) -> ApprovalRequest:
        """Return the request for approval; the same in every attempt at the run."""
        asking = self.context.agent_context
        written = self.call.arguments.encode("utf-8", "surrogatepass")
        arguments = dict(replace(self.context, arguments=self.shown).masked_arguments())
        return ApprovalRequest(
            run_id=self.run.root.run_id,
            key=f"{self.run.recorder.prefix}{self.key}",
            tool=self.call.name,
            arguments=arguments,
            agent=asking.agent,
            user_id=asking.user_id,
            tenant_id=asking.tenant_id,
            summary=judged.text,
            since=datetime.fromisoformat(judged.since),
            until=datetime.fromisoformat(judged.until) if judged.until else None,
            arguments_hash=sha256(written).hexdigest(),
            deciders=judged.deciders,
            people=judged.people,
            is_checked=judged.fits and arguments == self.context.arguments,
        )


class Approvals:
    """Asks the policy, and people by the journal of the run.

    Attributes:
        may_ask: Whether a call may have to wait, as far as that is known before there are runs:
            sources may bring tools that are marked.
        may_wait: The same, also for the answer to a question of a tool.
    """

    def __init__(
        self,
        policy: ApprovalPolicy,
        *,
        boundary: Boundary,
        patterns: Sequence[str],
        tools: Iterable[object],
        settings: ApprovalsSettings,
        guards: OutputGuards,
    ) -> None:
        self._policy = policy
        self._boundary = boundary
        self._patterns = tuple(patterns)
        self._expire_s, self._rules = settings.expire_s, settings.by
        self._guards = guards
        self._asks_policy = not _never_asks(policy)
        tools = tuple(tools)
        self.may_ask = (
            self._asks_policy or bool(self._patterns) or any(map(self.may_ask_about, tools))
        )
        self.may_wait = self.may_ask or any(map(has_questions, tools))

    async def settle(self, asked: AskedCall) -> Settled:
        """Decide if a call is made, and with which arguments.

        Raises:
            RunSuspended: A person is asked, and has not decided yet; or they have had the call
                made, and this process cannot make it.
            RunStoppedError: An output guard rejects the words of the policy.
        """
        recorder = asked.run.recorder
        judged = await recorder.step(asked.key, partial(self._judge, asked), JUDGED)
        if judged.verdict is Verdict.RUN:
            return Settled()
        if judged.verdict is Verdict.DENY:
            return Settled(denial=judged.text or _NO_REASON)
        settled = await _decide(asked, judged)
        for attempt in range(2, asked.earlier.times_begun + 2):
            if settled.denial is None:
                settled = await self._ask_again(asked, judged, settled, attempt=attempt)
        if settled.denial is None and (judged.fits or settled.arguments is not None):
            await _check(asked, settled.arguments)
        return settled

    async def _ask_again(
        self, first: AskedCall, judged: ApprovalStep, settled: Settled, *, attempt: int
    ) -> Settled:
        """Ask about a call that was being made when its process ended."""
        asked = first if settled.arguments is None else first.with_arguments(settled.arguments)
        asked = replace(asked, key=f"{first.key}/{attempt}")
        question = replace(judged, text=f"{_INTERRUPTED} {judged.text}".strip())
        again = await asked.run.recorder.step(
            asked.key, partial(self._ask, asked, question), JUDGED
        )
        answer = await _decide(asked, again)
        return replace(
            answer,
            arguments=settled.arguments if answer.arguments is None else answer.arguments,
            is_interrupted=answer.denial is not None,
        )

    async def _judge(self, asked: AskedCall) -> ApprovalStep:
        if asked.tool is None:
            return ApprovalStep(verdict=Verdict.RUN)
        verdict = await self.verdict_on(asked.tool, asked.context)
        if isinstance(verdict, Deny):
            return ApprovalStep(
                verdict=Verdict.DENY, text=await self._guards.check(asked.run, verdict.reason)
            )
        if not isinstance(verdict, Ask):
            return ApprovalStep(verdict=Verdict.RUN)
        rule = self._rule_for(asked.tool)
        problems = await asked.find_problems(asked.tool, asked.call.arguments)
        judged = ApprovalStep(
            verdict=Verdict.ASK,
            text=await self._guards.check(asked.run, verdict.summary),
            deciders=tuple(verdict.deciders) or rule.deciders,
            people=max(verdict.people, rule.people),
            fits=not problems,
        )
        return await self._ask(asked, judged)

    async def _ask(self, asked: AskedCall, judged: ApprovalStep) -> ApprovalStep:
        """Return the step in which a person is asked, of which readers are told a moment later."""
        now = datetime.now(UTC)
        judged = replace(
            judged,
            since=now.isoformat(),
            until=(now + timedelta(seconds=self._expire_s)).isoformat() if self._expire_s else "",
        )
        request = asked.request(judged)
        logger.info("a person is asked about a tool call", tool=request.tool, key=request.key)
        asked.run.untold[request.key] = ApprovalRequested(request)
        return judged

    def may_ask_about(self, tool: object) -> bool:
        """Return True if calls of a tool are judged at all, since one may wait or be denied."""
        return self._asks_policy or self._is_named(tool) or _read_mark(tool) is not False

    def _rule_for(self, tool: Tool) -> DecidersSettings:
        """Return which people decide about a tool: the first rule that fits, else all may."""
        fitting = (rule for rule in self._rules if any(_matches(tool, each) for each in rule.tools))
        return next(fitting, _EVERY_DECIDER)

    def always_ask(self, tool: Tool) -> bool:
        """Return True if a person is asked about every call of a tool, whatever its arguments."""
        mark = _read_mark(tool)
        return self._is_named(tool) or not (mark is False or callable(mark))

    def _is_named(self, tool: object) -> bool:
        return bool(self._patterns) and any(_matches(tool, each) for each in self._patterns)

    async def verdict_on(self, tool: Tool, context: ToolCallContext) -> PolicyResult | None:
        """The word of the policy, and that of the mark if the policy does not deny."""
        verdict: PolicyResult | None = None
        if self._asks_policy:
            answer = await self._boundary.call(
                policies.APPROVAL_POLICY, self._policy, partial(self._policy.decide, context)
            )
            if isinstance(answer, Failed):
                return Deny(_NOT_CHECKED)
            verdict = answer
        if isinstance(verdict, Ask | Deny):
            return verdict
        if self._is_named(tool):
            return Ask()
        return await self._ask_mark(tool, context)

    async def _ask_mark(self, tool: Tool, context: ToolCallContext) -> Ask | Deny | None:
        mark = _read_mark(tool)
        if isinstance(mark, Failed):
            return Deny(_NOT_CHECKED)
        if not callable(mark):
            return None if mark is False else Ask()
        answer = await self._boundary.call(
            policies.APPROVAL_MARK, tool, lambda: _call_mark(mark, context)
        )
        if isinstance(answer, Failed):
            return Deny(_NOT_CHECKED)
        return Ask() if answer else None


async def _decide(asked: AskedCall, judged: ApprovalStep) -> Settled:
    """Return the decision of a person.

    Raises:
        RunSuspended: They have not decided yet.
    """
    request = asked.request(judged)
    decision = await asked.run.recorder.await_decision(request.key, request)
    match decision.answer:
        case Approve(arguments=None):
            return Settled(decision=decision)
        case Approve(arguments=arguments):
            return Settled(arguments=json.dumps(arguments), decision=decision)
        case Deny(reason=reason):
            return Settled(denial=reason or _NO_REASON, decision=decision)
        case Answer():
            raise AssertionError("approvals take no answers")


async def _check(asked: AskedCall, changed: str | None) -> None:
    """See that a call can be made that a person has approved.

    Raises:
        RunSuspended: The tool is not there any more, or does not take the arguments any more.
    """
    name, tool = asked.call.name, asked.tool
    if tool is None:
        raise RunSuspended(problem=f"a call of the tool {name!r} was approved, which is not there")
    arguments = asked.call.arguments if changed is None else changed
    if problems := await asked.find_problems(tool, arguments):
        raise RunSuspended(
            problem=f"a call of the tool {name!r} was approved, and it does not take the arguments "
            f"any more: {'; '.join(problems)}"
        )


async def _call_mark(mark: Any, context: ToolCallContext) -> object:
    answer: object | Awaitable[object] = mark(context)
    return await answer if inspect.isawaitable(answer) else answer


def _never_asks(policy: ApprovalPolicy) -> bool:
    """Return True if the class that has `decide` promises that it lets every call run."""
    if not is_said_beside(policy, "never_asks", method="decide"):
        return False
    cls = next((cls for cls in type(policy).__mro__ if "decide" in vars(cls)), object)
    promised = vars(cls).get("never_asks")
    return promised is True and inspect.getattr_static(policy, "never_asks") is True


def has_questions(tool: object) -> bool:
    """Return True if a tool may ask the user while it is called."""
    return peek_attribute(tool, "may_ask", False) is True


def _read_mark(tool: object) -> Any:
    """Return a tool's mark: `False` if it has none, `Failed` if it cannot be read."""
    mark = peek_attribute(tool, "needs_approval", False)
    return False if mark is None else mark


def _matches(tool: object, pattern: str) -> bool:
    name: object = getattr(tool, "name", None)
    names = (name, getattr(tool, "qualified_name", name))
    return any(isinstance(each, str) and fnmatchcase(each, pattern) for each in names)


class ApprovalReach:
    """Follows the calls that agents may make of each other."""

    def __init__(self, approvals: Approvals, selection: ToolOffering) -> None:
        self.approvals, self._selection = approvals, selection
        self._inventory: Inventory | None = None
        self._asking: dict[str, bool] = {}
        self._is_marked = self._has_questions = False

    def may_wait(self) -> bool:
        """Return True if a run may wait, also for the answer to a question, or for a login."""
        self._look()
        inventory = self._selection.inventory
        may_ask = self.approvals.may_wait or self._is_marked or self._has_questions
        return may_ask or bool(inventory.user_sources and inventory.find_user_places())

    def may_ask(self) -> bool:
        """Return True if a call of any run may wait, as far as it is known now."""
        if self.approvals.may_ask:
            return True
        self._look()
        return self._is_marked

    def may_ask_about(self, tool: Tool) -> bool:
        """Return True if a call of a tool may wait, or lead to one that does."""
        return self.approvals.may_ask_about(tool) or self.leads_to_asking(tool)

    def leads_to_asking(self, tool: Tool) -> bool:
        """Return True if a call of a tool may lead to one that may wait."""
        if getattr(tool, "asks_agents", False):
            return self.may_ask()
        if AgentTool not in type(tool).__mro__:  # isinstance takes long, as it asks a protocol
            return False
        return isinstance(tool, AgentTool) and self._may_come_to_ask(tool.agent_name)

    def _may_come_to_ask(self, agent: str) -> bool:
        """Return True if an agent may, itself or by another one."""
        self._look()
        if agent not in self._asking:
            self._asking[agent] = self._find(agent)
        return self._asking[agent]

    def _look(self) -> None:
        """Forget what is known when there are other tools than before."""
        inventory = self._selection.inventory.collect()
        if inventory is not self._inventory:
            self._inventory, self._asking = inventory, {}
            every = (*inventory.local, *inventory.selectable.values())
            self._is_marked = any(map(self.approvals.may_ask_about, every))
            self._has_questions = any(map(has_questions, every))

    def _find(self, agent: str) -> bool:
        found, open_names = {agent}, [agent]
        while open_names:
            for tool in self._selection.find_tools(open_names.pop()):
                if self.approvals.may_ask_about(tool):
                    return True
                if getattr(tool, "asks_agents", False) and self.may_ask():
                    return True
                if isinstance(tool, AgentTool | HandoffTool) and tool.agent_name not in found:
                    found.add(tool.agent_name)
                    open_names.append(tool.agent_name)
        return False
