"""Which tool calls wait for a person, and what became of those that did."""

import inspect
import json
from collections.abc import Awaitable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from fnmatch import fnmatchcase
from functools import partial
from hashlib import sha256
from typing import Any

from arc_core.approvals import ApprovalRequest, Approve, Decision, Deny
from arc_core.engine.components import policies
from arc_core.engine.components.boundary import Boundary, Failed
from arc_core.engine.components.output_guards import OutputGuards
from arc_core.engine.journal.records import Judged, Verdict
from arc_core.engine.journal.step_forms import JUDGED
from arc_core.engine.journal.steps import Steps
from arc_core.engine.run_state import Run
from arc_core.events import ApprovalRequested
from arc_core.interfaces.approval_policy import ApprovalPolicy, Ask, PolicyResult
from arc_core.interfaces.hook import ToolCallContext
from arc_core.interfaces.tool import Tool
from arc_core.log import get_logger
from arc_core.messages import ToolCall

__all__ = ["Approvals", "Settled"]

logger = get_logger("approvals")

_NOT_CHECKED = "a policy could not be checked"
_NO_REASON = "no reason was given"


@dataclass(frozen=True, slots=True)
class Settled:
    """What becomes of a call.

    Attributes:
        denial: Why it is not made; None if it is.
        arguments: In the place of those that the model wrote, as JSON; None keeps these.
        decision: Of the person who was asked; None if no one was.
    """

    denial: str | None = None
    arguments: str | None = None
    decision: Decision | None = None


class Approvals:
    """Asks the policy, and people by the journal of the run.

    Args:
        policy: Says what the tools and settings do not.
        boundary: Calls it.
        patterns: Names of tools that wait for a person, `*` stands for any letters.
        tools: All that are known from the start.
        expire_s: After how long a call is denied by itself; None is never.
        guards: Say what may leave of a policy's words, which may quote arguments.
    """

    def __init__(
        self,
        policy: ApprovalPolicy,
        *,
        boundary: Boundary,
        patterns: Sequence[str],
        tools: Iterable[object],
        expire_s: float | None,
        guards: OutputGuards,
    ) -> None:
        self._policy = policy
        self._boundary = boundary
        self._patterns = tuple(patterns)
        self._expire_s = expire_s
        self._guards = guards
        self._asks_policy = not getattr(policy, "never_asks", False)
        marked = any(getattr(tool, "needs_approval", False) for tool in tools)
        self.may_ask = bool(self._asks_policy or self._patterns or marked)

    async def settle(
        self,
        run: Run,
        steps: Steps,
        call: ToolCall,
        *,
        tool: Tool,
        context: ToolCallContext,
        shown: Mapping[str, Any],
    ) -> Settled:
        """Whether a call is made, and with which arguments.

        Args:
            run: That calls.
            steps: Of the run.
            call: As the model wrote it.
            tool: That is called.
            context: With the arguments, parsed.
            shown: The arguments as a person may see them.

        Raises:
            RunSuspended: A person is asked, and has not decided yet.
            RunStoppedError: An output guard rejects the words of the policy.
        """
        key = f"approve/{context.call_index}"
        question = _Question(run, f"{steps.prefix}{key}", call, context, shown)
        judge = partial(self._judge, question, tool)
        judged, _ = await steps.take(key, judge, form=JUDGED)
        if judged.verdict is Verdict.RUN:
            return Settled()
        if judged.verdict is Verdict.DENY:
            return Settled(denial=judged.text or _NO_REASON)
        request = question.request(judged)
        decision = await steps.journal.decision(question.key, request)
        match decision.answer:
            case Approve(arguments=None):
                return Settled(decision=decision)
            case Approve(arguments=arguments):
                return Settled(arguments=json.dumps(arguments), decision=decision)
            case Deny(reason=reason):
                return Settled(denial=reason or _NO_REASON, decision=decision)

    async def _judge(self, question: "_Question", tool: Tool) -> Judged:
        verdict = await self.verdict_on(tool, question.context)
        if isinstance(verdict, Deny):
            return Judged(
                verdict=Verdict.DENY, text=await self._guards.check(question.run, verdict.reason)
            )
        if not isinstance(verdict, Ask):
            return Judged(verdict=Verdict.RUN)
        now = datetime.now(UTC)
        judged = Judged(
            verdict=Verdict.ASK,
            text=await self._guards.check(question.run, verdict.summary),
            since=now.isoformat(),
            until=(now + timedelta(seconds=self._expire_s)).isoformat() if self._expire_s else "",
        )
        logger.info("a person is asked about a tool call", tool=tool.name, key=question.key)
        await question.run.emit(ApprovalRequested(question.request(judged)))
        return judged

    def always_ask(self, tool: Tool) -> bool:
        """Whether a person is asked about every call of a tool, whatever its arguments."""
        mark = getattr(tool, "needs_approval", False)
        is_marked = bool(mark) and not callable(mark)
        return is_marked or any(_matches(tool, pattern) for pattern in self._patterns)

    async def verdict_on(self, tool: Tool, context: ToolCallContext) -> PolicyResult | None:
        """The word of the policy, and that of the mark if the policy does not deny."""
        verdict: PolicyResult | None = None
        if self._asks_policy:
            told = await self._boundary.call(
                policies.APPROVAL_POLICY, self._policy, partial(self._policy.decide, context)
            )
            if isinstance(told, Failed):
                return Deny(_NOT_CHECKED)
            verdict = told
        if isinstance(verdict, Ask | Deny):
            return verdict
        if any(_matches(tool, pattern) for pattern in self._patterns):
            return Ask()
        return await self._word_of(tool, context)

    async def _word_of(self, tool: Tool, context: ToolCallContext) -> Ask | Deny | None:
        mark = getattr(tool, "needs_approval", False)
        if not callable(mark):
            return Ask() if mark else None
        told = await self._boundary.call(
            policies.APPROVAL_MARK, tool, lambda: _call_mark(mark, context)
        )
        if isinstance(told, Failed):
            return Deny(_NOT_CHECKED)
        return Ask() if told else None


@dataclass(frozen=True, slots=True)
class _Question:
    """A call that a person may have to be asked about.

    Attributes:
        key: Names it in the journal.
    """

    run: Run
    key: str
    call: ToolCall
    context: ToolCallContext
    shown: Mapping[str, Any]

    def request(self, judged: Judged) -> ApprovalRequest:
        """What a person is asked; the same in every life of the run."""
        asking = self.context.agent_context
        written = self.call.arguments.encode("utf-8", "surrogatepass")
        return ApprovalRequest(
            run_id=self.run.root.run_id,
            key=self.key,
            tool=self.call.name,
            arguments=dict(replace(self.context, arguments=self.shown).masked_arguments()),
            agent=asking.agent,
            user_id=asking.user_id,
            tenant_id=asking.tenant_id,
            summary=judged.text,
            since=datetime.fromisoformat(judged.since),
            until=datetime.fromisoformat(judged.until) if judged.until else None,
            arguments_hash=sha256(written).hexdigest(),
        )


async def _call_mark(mark: Any, context: ToolCallContext) -> object:
    told: object | Awaitable[object] = mark(context)
    return await told if inspect.isawaitable(told) else told


def _matches(tool: Tool, pattern: str) -> bool:
    names = (tool.name, getattr(tool, "qualified_name", tool.name))
    return any(fnmatchcase(name, pattern) for name in names)
