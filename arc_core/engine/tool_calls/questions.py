"""Questions of tools to the user of their run, and logins, for which the run waits."""

import asyncio
import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from hashlib import sha256
from typing import Any

from arc_core.engine.answers.schema_checks import peek_arguments
from arc_core.engine.boundary import policies
from arc_core.engine.boundary.boundary import Boundary, Failed
from arc_core.engine.guards.output_guards import OutputGuards
from arc_core.engine.journal.recorder import begun_key, login_key, note_key, question_key
from arc_core.engine.journal.records import QuestionStep, ToolNote
from arc_core.engine.journal.step_forms import NOTED, QUESTIONED
from arc_core.engine.run_state import ActiveRun
from arc_core.engine.tool_calls.call_state import CallState, hook_context
from arc_core.errors import ConfigurationError, CredentialError, ToolRetry
from arc_core.events import AnswerRequested, LoginRequested
from arc_core.interfaces.credentials import Credential, Credentials, LoginNeeded, Owner
from arc_core.interfaces.tools.tool_requests import ToolRequests
from arc_core.log import get_logger
from arc_core.requests import Answer, Decision, Deny, LoginRequest, QuestionRequest, Request
from arc_core.runs.journal import RunSuspended
from arc_core.tools.json_schema import find_flaw

logger = get_logger("questions")

_MAX_CHARS = 4000
_MAX_LOGINS = 5  # of one call; one that wants more scopes twice has three
_LOOK_S = 0.5  # a person takes longer, and a database is asked each time
_OTHER_QUESTION = "The user has answered another question than the one that is asked now."
_NO_REASON = "no reason was given"


class EffectInterruptedError(Exception):
    """A call was being made when its process ended, after its effect had begun."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AskingParts:
    """The components that requests of calls need, the same for all runs.

    Attributes:
        guards: Let the texts of questions leave.
        expire_s: After how many seconds a request is denied by itself; None is never.
        credentials: Of users.
        boundary: Calls them.
    """

    guards: OutputGuards
    expire_s: float | None
    credentials: Credentials
    boundary: Boundary


@dataclass(slots=True, eq=False)
class CallRequests(ToolRequests):
    """The requests of one call; a copy, deep or pickled, is None, as it may outlive the run.

    Attributes:
        run: That waits.
        call: Whose tool asks.
        parts: The components that it needs.
    """

    run: ActiveRun
    call: CallState
    parts: AskingParts

    def __reduce__(self) -> tuple[object, ...]:
        return type(None), ()

    async def ask(
        self, text: str, schema: Mapping[str, Any], *, url: str | None, hold_s: float
    ) -> Mapping[str, Any]:
        """Return the answer to a question; see `ToolContext.ask`."""
        _check_question(text, schema)
        self.call.questions += 1
        key = question_key(self.call.index, self.call.questions)
        make_step = partial(QuestionStep, text=text, schema=schema, url=url)
        step, answer = await self._ask(key, make_step, hold_s=hold_s)
        if (dict(step.schema), step.url) != (dict(schema), url):
            raise ToolRetry(_OTHER_QUESTION)
        return answer.values

    async def credential(
        self, service: str, rejected: Credential | None, scopes: Sequence[str]
    ) -> Credential:
        """Return a credential of the user; see `ToolContext.credential`.

        Raises:
            CredentialError: There is none, or the call has waited for as many logins as it may.
            RunSuspended: A login is waited for.
            ToolRetry: The user has denied it.
        """
        call = self.call
        find = partial(self._find_credential, service, rejected, scopes)
        found = await find()
        while not isinstance(found, Credential):
            if call.logins == _MAX_LOGINS:
                problem = f"no credential of {_MAX_LOGINS} logins has been good for this call"
                raise CredentialError(problem, service=service)
            call.logins += 1  # those of earlier attempts have ended, and return at once
            step = partial(QuestionStep, service=service, url=found.url, scopes=found.scopes)
            try:
                await self._ask(login_key(call.index, call.logins), step)
            except RunSuspended:
                found = await find()
                if not isinstance(found, Credential):
                    raise
                # The user has logged in before the request was kept, which nothing would end.
                self.run.below.requests.pop(f"tool/{call.index}", None)
                return found
            found = await find()
        return found

    async def _find_credential(
        self, service: str, rejected: Credential | None, scopes: Sequence[str]
    ) -> Credential | LoginNeeded:
        parts, context = self.parts, self.run.hook_context
        owner = Owner(user_id=context.user_id, tenant_id=context.tenant_id)
        work = partial(parts.credentials.get, owner, service, rejected=rejected, scopes=scopes)
        found = await parts.boundary.call(policies.CREDENTIALS, parts.credentials, work)
        if isinstance(found, Failed):
            raise CredentialError("credentials have failed", service=service, retryable=True)
        return found

    async def begin(self) -> None:
        """Note that the effect of the call begins; see `ToolContext.begin`."""
        call = self.call
        if call.has_begun:
            return
        call.has_begun = True
        is_noted = getattr(call.tool, "once", False) or call.earlier.times_begun > 0
        if is_noted or await self.run.recorder.begin_attempt(begun_key(call.index, call.attempt)):
            return
        raise EffectInterruptedError

    async def recall(self) -> Sequence[str]:
        """Return the texts that the call has remembered; see `ToolContext.recall`."""
        call = self.call
        if call.notes is None:
            call.notes = []
            while True:
                key = note_key(call.index, len(call.notes) + 1)
                note = await self.run.recorder.find(key, NOTED)
                if not isinstance(note, ToolNote):
                    break
                call.notes.append(note.text)
                call.questions, call.logins = note.questions, note.logins
        return tuple(call.notes)

    async def remember(self, text: str) -> None:
        """Record a text before the call has ended; see `ToolContext.remember`."""
        await self.recall()
        call = self.call
        assert call.notes is not None
        call.notes.append(text)
        note = ToolNote(text=text, questions=call.questions, logins=call.logins)

        async def get_note() -> ToolNote:
            return note

        await self.run.recorder.step(note_key(call.index, len(call.notes)), get_note, NOTED)

    @property
    def is_handed_over(self) -> bool:
        """True if the call goes on in another process; see `ToolContext.is_handed_over`."""
        return self.run.recorder.goes_on_after(asyncio.CancelledError())

    async def _ask(
        self, key: str, make_step: Callable[..., QuestionStep], *, hold_s: float = 0.0
    ) -> tuple[QuestionStep, Answer]:
        """Ask the user, in this attempt at the call or in an earlier one.

        Args:
            key: Of the step in which it is asked.
            make_step: Gets the attempt, and the times of the question.
            hold_s: How long the call is held for an answer before the run waits.

        Raises:
            RunSuspended: There is no answer yet.
            ToolRetry: The user has denied it, or not answered in time.
            ConfigurationError: The call cannot wait.
        """
        run, call = self.run, self.call
        if call.has_begun:
            raise ConfigurationError(
                f"the tool {call.call.name} asks the user after its effect has begun",
                remedy="ask before context.begin()",
            )
        step = await run.recorder.step(key, partial(self._make_step, key, make_step), QUESTIONED)
        request = self._make_request(key, step)
        decision = await self._await_decision(request, hold_s)
        if isinstance(decision.answer, Answer):
            return step, decision.answer
        assert isinstance(decision.answer, Deny), "stores take no other answers"
        asked = f"The login at {step.service}" if step.service else "The question to the user"
        raise ToolRetry(f"{asked} was denied: {decision.answer.reason or _NO_REASON}")

    async def _await_decision(self, request: Request, hold_s: float) -> Decision:
        """Return the decision about a request, for which the call may be held.

        Events are the one way to hear of a question while it is asked, so a run that tells none is
        not held. What ends the call meanwhile, as its time limit does, lets the run wait.
        """
        run, place, clock = self.run, f"tool/{self.call.index}", asyncio.get_running_loop().time
        hold_s = 0.0 if run.channel is None else min(hold_s, (run.seconds_left() or math.inf) / 2)
        until, noted = clock() + hold_s, set[str]()
        while True:
            try:
                decision = await run.recorder.await_decision(request.key, request)
            except RunSuspended as suspended:
                if not noted:
                    run.below.requests.setdefault(place, []).extend(suspended.requests)
                noted |= {each.key for each in suspended.requests}
                left_s = until - clock()
                if left_s <= 0 or not noted or self.is_handed_over:
                    raise
                await asyncio.sleep(min(left_s, _LOOK_S))
                continue
            kept = [each for each in run.below.requests.pop(place, ()) if each.key not in noted]
            if kept:
                run.below.requests[place] = kept
            return decision

    async def _make_step(self, key: str, make_step: Callable[..., QuestionStep]) -> QuestionStep:
        """Return the step in which the user is asked, of which readers are told a moment later."""
        now, until = datetime.now(UTC), ""
        if self.parts.expire_s:
            until = (now + timedelta(seconds=self.parts.expire_s)).isoformat()
        step = make_step(attempt=self.call.attempt, since=now.isoformat(), until=until)
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
        run, call = self.run, self.call
        arguments = peek_arguments(call.shown_arguments)
        context = hook_context(run, call, arguments=arguments)
        asked = [step.text, dict(step.schema), step.url, step.service, list(step.scopes)]
        facts: dict[str, Any] = {
            "run_id": run.root.run_id,
            "key": f"{run.recorder.prefix}{key}",
            "tool": call.call.name,
            "arguments": dict(context.masked_arguments()),
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


def _check_question(text: str, schema: Mapping[str, Any]) -> None:
    """Refuse what no person could be asked.

    Raises:
        ValueError: It names the problem.
    """
    if not text.strip() or len(text) > _MAX_CHARS:
        raise ValueError(f"a question has 1 to {_MAX_CHARS} characters, and this has {len(text)}")
    if flaw := find_flaw(schema):
        raise ValueError(f"the schema of the answer has a flaw: {flaw}")
    if schema.get("type") != "object":
        raise ValueError('the schema of an answer is of the type "object"')
