"""Questions of tools to the user of their run, and logins, for which the run waits."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from arc_core.engine.answers.schema_checks import peek_arguments
from arc_core.engine.journal.recorder import begun_key, login_key, note_key, question_key
from arc_core.engine.journal.records import QuestionStep, ToolNote
from arc_core.engine.journal.step_forms import NOTED
from arc_core.engine.run_state import ActiveRun
from arc_core.engine.tool_calls.call_state import CallState, hook_context
from arc_core.engine.tools.user_requests import MAX_LOGINS, AskingParts, MakeStep, UserRequests
from arc_core.errors import ConfigurationError, CredentialError, ToolRetry
from arc_core.interfaces.credentials import Credential
from arc_core.interfaces.tools.tool_requests import ToolRequests
from arc_core.tools.json_schema import find_flaw

_MAX_CHARS = 4000
_OTHER_QUESTION = "The user has answered another question than the one that is asked now."


class EffectInterruptedError(Exception):
    """A call was being made when its process ended, after its effect had begun."""


@dataclass(slots=True, eq=False)
class CallRequests(ToolRequests):
    """The requests of one call; a copy, deep or pickled, is None, as it may outlive the run."""

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
        _, step = await self._begin(key, make_step)
        answer = await self._make_asker().await_answer(key, step, hold_s=hold_s)
        if (dict(step.schema), step.url) != (dict(schema), url):
            raise ToolRetry(_OTHER_QUESTION)
        return answer.values

    async def credential(
        self, service: str, rejected: Credential | None, scopes: Sequence[str]
    ) -> Credential:
        """Return a credential of the user; see `ToolContext.credential`."""
        return await self._make_asker().await_credential(
            service,
            rejected=rejected,
            scopes=scopes,
            begin_next=partial(self._begin_login, service),
        )

    async def _begin_login(self, service: str, make_step: MakeStep) -> tuple[str, QuestionStep]:
        call = self.call
        if call.logins == MAX_LOGINS:
            problem = f"no credential of {MAX_LOGINS} logins has been good for this call"
            raise CredentialError(problem, service=service)
        call.logins += 1  # those of earlier attempts have ended, and return at once
        return await self._begin(login_key(call.index, call.logins), make_step)

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

    def _make_asker(self) -> UserRequests:
        return UserRequests(
            run=self.run,
            parts=self.parts,
            place=f"tool/{self.call.index}",
            tool=self.call.call.name,
            get_arguments=self._mask_arguments,
            attempt=self.call.attempt,
        )

    def _mask_arguments(self) -> Mapping[str, Any]:
        arguments = peek_arguments(self.call.shown_arguments)
        return hook_context(self.run, self.call, arguments=arguments).masked_arguments()

    async def _begin(self, key: str, make_step: MakeStep) -> tuple[str, QuestionStep]:
        """Return the step in which the user is asked, behind its key; refuse what cannot wait."""
        if self.call.has_begun:
            raise ConfigurationError(
                f"the tool {self.call.call.name} asks the user after its effect has begun",
                remedy="ask before context.begin()",
            )
        return key, await self._make_asker().begin(key, make_step)


def _check_question(text: str, schema: Mapping[str, Any]) -> None:
    """Refuse what no person could be asked."""
    if not text.strip() or len(text) > _MAX_CHARS:
        raise ValueError(f"a question has 1 to {_MAX_CHARS} characters, and this has {len(text)}")
    if flaw := find_flaw(schema):
        raise ValueError(f"the schema of the answer has a flaw: {flaw}")
    if schema.get("type") != "object":
        raise ValueError('the schema of an answer is of the type "object"')
