"""Requests to the user of a run, for which it waits: of a tool that is called, and of its start."""

import asyncio
import json
import math
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from hashlib import sha256
from typing import Any

from arc_core.engine.boundary import policies
from arc_core.engine.boundary.boundary import Boundary, Failed
from arc_core.engine.guards.output_guards import OutputGuards
from arc_core.engine.journal.records import QuestionStep
from arc_core.engine.journal.step_forms import QUESTIONED
from arc_core.engine.run_state import ActiveRun
from arc_core.errors import CredentialError, ToolRetry
from arc_core.events import AnswerRequested, LoginRequested
from arc_core.interfaces.credentials import Credential, Credentials, LoginNeeded, Owner
from arc_core.interfaces.tools.tool import ToolContext
from arc_core.interfaces.tools.tool_requests import ToolRequests
from arc_core.log import get_logger
from arc_core.requests import Answer, Decision, Deny, LoginRequest, QuestionRequest, Request
from arc_core.runs.journal import RunSuspended

logger = get_logger("questions")

MAX_LOGINS = 5
"""For how many logins a tool call, or the start of a run, waits; for more scopes twice it is 3."""

_LOOK_S = 0.5  # a person takes longer, and a database is asked each time
_NO_REASON = "no reason was given"

MakeStep = Callable[..., QuestionStep]
"""Gets the attempt, and the times of the request."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AskingParts:
    """The components that requests to users need, the same for all runs.

    Attributes:
        expire_s: After how many seconds a request is denied by itself; None is never.
    """

    guards: OutputGuards
    expire_s: float | None
    credentials: Credentials
    boundary: Boundary


@dataclass(frozen=True, slots=True, kw_only=True)
class UserRequests:
    """Asks the user of a run, at one place of it.

    Attributes:
        place: Where the requests are noted for which it waits, as `tool/3`.
        tool: The name of what asks, for people.
        get_arguments: Returns those of the call, masked.
    """

    run: ActiveRun
    parts: AskingParts
    place: str
    tool: str
    get_arguments: Callable[[], Mapping[str, Any]] = dict
    attempt: int = 1

    async def begin(self, key: str, make_step: MakeStep) -> QuestionStep:
        """Return the step in which the user is asked, in this attempt at the run or an earlier one.

        Readers are told a moment later, by `await_answer`.
        """
        make = partial(self._make_step, key, make_step)
        return await self.run.recorder.step(key, make, QUESTIONED)

    async def await_answer(self, key: str, step: QuestionStep, *, hold_s: float = 0.0) -> Answer:
        """Return the answer of the user, for which the run is held so long before it waits.

        Raises:
            RunSuspended: There is no answer yet.
            ToolRetry: The user has denied it, or not answered in time.
        """
        decision = await self._await_decision(self._make_request(key, step), hold_s)
        if isinstance(decision.answer, Answer):
            return decision.answer
        assert isinstance(decision.answer, Deny), "stores take no other answers"
        asked = f"The login at {step.service}" if step.service else "The question to the user"
        raise ToolRetry(f"{asked} was denied: {decision.answer.reason or _NO_REASON}")

    async def await_credential(
        self,
        service: str,
        *,
        rejected: Credential | None,
        scopes: Sequence[str],
        begin_next: Callable[[MakeStep], Awaitable[tuple[str, QuestionStep]]],
    ) -> Credential:
        """Return a credential of the user, after as many logins as it takes.

        Those of earlier attempts have ended, and their answers are there at once.

        Raises:
            CredentialError: There is none, and a login would not help; or the credentials fail.
            RunSuspended: A login is waited for.
            ToolRetry: The user has denied it.
        """
        while True:
            found = await self._find_credential(service, rejected, scopes)
            if isinstance(found, Credential):
                return found
            key, step = await begin_next(
                partial(QuestionStep, service=service, url=found.url, scopes=found.scopes)
            )
            try:
                await self.await_answer(key, step)
            except RunSuspended:
                found = await self._find_credential(service, rejected, scopes)
                if not isinstance(found, Credential):
                    raise
                # The user has logged in before the request was kept, which nothing would end.
                self.run.below.requests.pop(self.place, None)
                return found

    async def _find_credential(
        self, service: str, rejected: Credential | None, scopes: Sequence[str]
    ) -> Credential | LoginNeeded:
        parts, owner = self.parts, get_owner(self.run)
        work = partial(parts.credentials.get, owner, service, rejected=rejected, scopes=scopes)
        found = await parts.boundary.call(policies.CREDENTIALS, parts.credentials, work)
        if isinstance(found, Failed):
            raise CredentialError("credentials have failed", service=service, retryable=True)
        return found

    async def _await_decision(self, request: Request, hold_s: float) -> Decision:
        """Return the decision about a request, for which the call may be held.

        Events are the one way to hear of a question while it is asked, so a run that tells none is
        not held. What ends the call meanwhile, as its time limit does, lets the run wait.
        """
        run, clock = self.run, asyncio.get_running_loop().time
        hold_s = 0.0 if run.channel is None else min(hold_s, (run.seconds_left() or math.inf) / 2)
        until, noted = clock() + hold_s, set[str]()
        while True:
            try:
                decision = await run.recorder.await_decision(request.key, request)
            except RunSuspended as suspended:
                if not noted:
                    run.below.requests.setdefault(self.place, []).extend(suspended.requests)
                noted |= {each.key for each in suspended.requests}
                left_s = until - clock()
                is_handed_over = run.recorder.goes_on_after(asyncio.CancelledError())
                if left_s <= 0 or not noted or is_handed_over:
                    raise
                await asyncio.sleep(min(left_s, _LOOK_S))
                continue
            waiting = run.below.requests.pop(self.place, ())
            kept = [each for each in waiting if each.key not in noted]
            if kept:
                run.below.requests[self.place] = kept
            return decision

    async def _make_step(self, key: str, make_step: MakeStep) -> QuestionStep:
        now, until = datetime.now(UTC), ""
        if self.parts.expire_s:
            until = (now + timedelta(seconds=self.parts.expire_s)).isoformat()
        step = make_step(attempt=self.attempt, since=now.isoformat(), until=until)
        step = replace(step, text=await self.parts.guards.check(self.run, step.text))
        request = self._make_request(key, step)
        logger.info("the user is asked by a tool", tool=request.tool, key=request.key)
        if isinstance(request, LoginRequest):
            self.run.untold[request.key] = LoginRequested(request)
        else:
            self.run.untold[request.key] = AnswerRequested(request)
        return step

    def _make_request(self, key: str, step: QuestionStep) -> LoginRequest | QuestionRequest:
        """Return a request to the user; the same in every attempt at the run."""
        run = self.run
        asked = [step.text, dict(step.schema), step.url, step.service, list(step.scopes)]
        facts: dict[str, Any] = {
            "run_id": run.root.run_id,
            "key": f"{run.recorder.prefix}{key}",
            "tool": self.tool,
            "arguments": dict(self.get_arguments()),
            "agent": run.agent,
            "user_id": run.hook_context.user_id,
            "tenant_id": run.hook_context.tenant_id,
            "since": datetime.fromisoformat(step.since),
            "until": datetime.fromisoformat(step.until) if step.until else None,
            "arguments_hash": sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest(),
        }
        if step.service:
            url = step.url or ""
            return LoginRequest(**facts, service=step.service, url=url, scopes=step.scopes)
        return QuestionRequest(**facts, text=step.text, schema=step.schema, url=step.url)


def get_owner(run: ActiveRun) -> Owner:
    """Return the person for whom the tools of a run act."""
    context = run.hook_context
    return Owner(user_id=context.user_id, tenant_id=context.tenant_id)


def make_tool_context(
    run: ActiveRun,
    requests: ToolRequests | None,
    *,
    call_id: str = "",
    idempotency_key: str = "",
    reporter: Callable[[str, float | None], Awaitable[None]] | None = None,
) -> ToolContext:
    """Return the context of a call for its tool, or for what is asked of tools before a call."""
    context = run.hook_context
    return ToolContext(
        run_id=context.run_id,
        call_id=call_id,
        idempotency_key=idempotency_key,
        user_id=context.user_id,
        session_id=context.session_id,
        tenant_id=context.tenant_id,
        metadata=context.metadata,
        scope=context.scope,
        reporter=reporter,
        requests=requests,
    )
