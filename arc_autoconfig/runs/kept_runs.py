"""The runs that the journals of an application keep, for those who did not start them."""

import json
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

from pydantic_core import to_jsonable_python

from arc_autoconfig.runs.known_tools import KnownTools
from arc_core.approvals import ApprovalRequest, Approve, Decision, Deny
from arc_core.command import AgentCommand
from arc_core.errors import AgentErrorCode, DecisionError, UnknownRunError
from arc_core.events import AgentEvent, RunFinished
from arc_core.interfaces.run_journal import RunJournals, RunState, Waiting
from arc_core.masking import MASK
from arc_core.result import AgentResult

__all__ = ["KeptRuns"]

_MAX_ID_CHARS = 200
_MAX_SEQ = 2**53
_INCOMPATIBLE = "Another version of Arc keeps this run, and this one cannot read it."


class KeptRuns:
    """Submits runs, reads them, and brings them what people decide.

    Args:
        journals: Keep them.
        tools: Check the arguments of calls.
    """

    def __init__(self, journals: RunJournals, *, tools: KnownTools) -> None:
        self._journals, self._tools = journals, tools

    async def submit(
        self,
        command: AgentCommand,
        *,
        deps: object,
        run_id: str | None,
        queue: str | None,
        not_before: datetime | None,
    ) -> str:
        """Have a command run; its id."""
        if not_before is not None and not_before.tzinfo is None:
            raise ValueError("not_before has no time zone; write datetime.now(UTC) + …")
        run_id = str(uuid4()) if run_id is None else run_id
        if not _is_id(run_id):
            raise ValueError(
                f"run_id cannot be the id of a run; write 1 to {_MAX_ID_CHARS} printable characters"
            )
        await self._journals.submit(
            command, run_id=run_id, deps=deps, queue=queue, not_before=not_before
        )
        return run_id

    async def result(self, run_id: str) -> AgentResult[Any] | Waiting:
        """The end of a run, or where it is."""
        _check_id(run_id)
        found = await self._journals.result(run_id)
        return found if isinstance(found, Waiting) else _plain(found)

    async def events(
        self,
        run_id: str,
        *,
        after: int,
        tell_end: Callable[[AgentResult[Any]], None] | None = None,
    ) -> AsyncGenerator[AgentEvent]:
        """The events of a run, `RunFinished` last, also if it waits for people.

        Args:
            run_id: The id of the run.
            after: The last `seq` of the run that the reader has; 0 has none.
            tell_end: Is told the result before the reader is.
        """
        _check_id(run_id)
        seq, empty_readings = min(max(after, 0), _MAX_SEQ), 0
        finished: RunFinished | None = None
        while empty_readings < 2:  # one may be decided between its last event and the question
            empty_readings += 1
            async with aclosing(self._journals.events(run_id, after=seq)) as events:
                async for event in events:
                    empty_readings = 0
                    seq = event.seq if event.run_id == run_id else seq
                    if isinstance(event, RunFinished) and event.run_id == run_id:
                        finished = replace(event, result=_plain(event.result))
                    else:
                        yield event
            if finished is None:
                finished = _finish(await self.result(run_id), run_id, seq)
            if finished is not None:  # only now, so that its reader finds the result
                if tell_end is not None:
                    tell_end(finished.result)
                yield finished
                return

    async def decide(self, run_id: str, key: str, answer: Approve | Deny, *, by: str) -> None:
        """Let a waiting call go on, or not, unless the tool cannot be called so."""
        if not by.strip():
            raise ValueError("by is empty; write who has decided")
        if not by.isprintable():
            raise ValueError("by is not printable; write who has decided")
        _check_id(run_id)
        if not _is_id(key):
            raise DecisionError("it was not asked for", run_id=run_id, key=key)
        request = await self._find(run_id, key)
        if request is not None and isinstance(answer, Approve) and answer.arguments is not None:
            problems = await self._problems(request, answer.arguments)
            if problems:
                raise DecisionError("; ".join(problems), run_id=run_id, key=key)
        decision = Decision(
            answer=answer,
            by=by,
            at=datetime.now(UTC),
            arguments_hash="" if request is None else request.arguments_hash,
        )
        await self._journals.decide(run_id, key, decision)

    async def cancel(self, run_id: str) -> None:
        """End a run, wherever it is."""
        _check_id(run_id)
        await self._journals.cancel(run_id)

    async def waiting(self, **filters: str) -> Sequence[ApprovalRequest]:
        """What people have to decide, oldest first."""
        return await self._journals.waiting(**filters)

    async def _find(self, run_id: str, key: str) -> ApprovalRequest | None:
        """What was asked; None if it does not wait, which the journals explain."""
        found = await self._journals.result(run_id)
        requests = found.requests if isinstance(found, Waiting) else ()
        return next((request for request in requests if request.key == key), None)

    async def _problems(
        self, request: ApprovalRequest, arguments: Mapping[str, Any]
    ) -> Sequence[str]:
        try:
            json.dumps(dict(arguments), allow_nan=False)
        except (TypeError, ValueError):
            return ["the arguments have something that JSON cannot carry"]
        if masked := [f"{name} is masked" for name in _find_masks(request.arguments, arguments)]:
            return [*masked, "write what is meant, or approve the arguments as they are"]
        return await self._tools.problems(request.tool, arguments)


def _is_id(text: str) -> bool:
    """Whether each journal can keep it, and each terminal show it."""
    return text.isprintable() and 0 < len(text.strip()) <= len(text) <= _MAX_ID_CHARS


def _check_id(run_id: str) -> None:
    if not _is_id(run_id):
        raise UnknownRunError(run_id)


def _plain(result: AgentResult[Any]) -> AgentResult[Any]:
    """The result as a journal in a database has it: a structured answer is what JSON carries."""
    if result.output is None:
        return result
    return replace(result, output=to_jsonable_python(result.output))


def _finish(found: AgentResult[Any] | Waiting, run_id: str, seq: int) -> RunFinished | None:
    """What a reader is told at the end; None if the run goes on."""
    if not isinstance(found, Waiting):
        return RunFinished(found, run_id, seq)
    if found.state in {RunState.QUEUED, RunState.RUNNING}:
        return None
    result: AgentResult[Any] = AgentResult(success=False, run_id=run_id, waiting=found.requests)
    if found.state is RunState.INCOMPATIBLE:
        code = AgentErrorCode.UNAVAILABLE
        result = replace(result, error_code=code, error_message=_INCOMPATIBLE)
    return RunFinished(result, run_id, seq)


def _find_masks(shown: object, given: object, place: str = "arguments") -> Sequence[str]:
    """Where the mask that a person was shown has come back in the place of a secret."""
    if given == MASK and shown == MASK:
        return [place]
    pairs: list[tuple[object, object, object]] = []
    if isinstance(shown, Mapping) and isinstance(given, Mapping):
        pairs = [(name, shown[name], given[name]) for name in given if name in shown]
    elif isinstance(shown, list | tuple) and isinstance(given, list | tuple):
        pairs = [(at, *two) for at, two in enumerate(zip(shown, given, strict=False))]
    return [found for name, old, new in pairs for found in _find_masks(old, new, f"{place}.{name}")]
