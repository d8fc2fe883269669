"""The runs that the journals of an application keep, for those who did not start them."""

import json
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

from pydantic_core import to_jsonable_python

from arc_autoconfig.runs.decision_rights import check_any_right, check_right
from arc_autoconfig.runs.known_tools import KnownTools
from arc_core.approvals import ApprovalRequest, Approve, Decision, Deny
from arc_core.command import AgentCommand
from arc_core.errors import AgentErrorCode, DecisionError, UnknownRunError
from arc_core.events import AgentEvent, RunFinished
from arc_core.interfaces.serving.served_application import Caller
from arc_core.log import get_logger
from arc_core.result import AgentResult
from arc_core.runs.store import Capability, RunState, RunStore, Waiting
from arc_core.text.masking import MASK

__all__ = ["KeptRuns"]

logger = get_logger("runs")

_MAX_ID_CHARS = 200
_MAX_SEQ = 2**53
_NAMED_RUNS = 5
_NOT_ASKED = "not asked"
"""The hash of a decision about a call that does not wait: no request has it, so none is decided
whose decider was not checked."""
_MESSAGES = {
    RunState.HELD: "This run goes on once what it needs is deployed again.",
    RunState.INCOMPATIBLE: "Another version of Arc keeps this run, and this one cannot read it.",
}


class KeptRuns:
    """Submits runs, reads them, and brings them what people decide.

    Args:
        journals: Keep them.
        tools: Check the arguments of calls.
        find_caller: The caller whose key has a name; others are people without a key.
    """

    def __init__(
        self,
        journals: RunStore,
        *,
        tools: KnownTools,
        find_caller: Callable[[str], Caller | None] = lambda _: None,
    ) -> None:
        self._journals, self._tools, self._find_caller = journals, tools, find_caller

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

    async def decide(
        self, run_id: str, key: str, answer: Approve | Deny, *, by: str | Caller
    ) -> ApprovalRequest | None:
        """Let a waiting call go on, or not, unless the tool cannot be called so.

        This is the one way by which decisions come to the journals, and it checks the right.

        Returns:
            The request, if another person has to approve it, too; else None.
        """
        caller = by if isinstance(by, Caller) else self._find_caller(by) or Caller(name=by)
        if not caller.name.strip():
            raise ValueError("by is empty; write who has decided")
        if not caller.name.isprintable():
            raise ValueError("by is not printable; write who has decided")
        _check_id(run_id)
        check_any_right(caller)
        if not _is_id(key):
            raise DecisionError("it was not asked for", run_id=run_id, key=key)
        request = await self._find(run_id, key)
        if request is not None:
            check_right(request, caller)
            await self._check_possible(request, answer)
            await self._check_arguments(request, answer)
        decision = Decision(
            answer=answer,
            by=caller.name,
            at=datetime.now(UTC),
            arguments_hash=_NOT_ASKED if request is None else request.arguments_hash,
        )
        await self._journals.decide(run_id, key, decision)
        has_to_wait = request is not None and request.people > 1 and isinstance(answer, Approve)
        return await self._find(run_id, key) if has_to_wait else None

    async def cancel(self, run_id: str) -> None:
        """End a run, wherever it is."""
        _check_id(run_id)
        await self._journals.cancel(run_id)

    async def waiting(self, **filters: str) -> Sequence[ApprovalRequest]:
        """What people have to decide, oldest first."""
        return await self._journals.waiting(**filters)

    async def _find(self, run_id: str, key: str) -> ApprovalRequest | None:
        """What was asked; None if it does not wait, which the journals explain.

        A call waits as soon as it was asked about, also while other calls of its run go on.
        """
        requests = await self._journals.waiting(run_id=run_id)
        named = (request for request in requests if (request.run_id, request.key) == (run_id, key))
        return next(named, None)

    async def _check_possible(self, request: ApprovalRequest, answer: Approve | Deny) -> None:
        """Refuse a decision that the run could not go on with here.

        Raises:
            DecisionError: Its agent is gone; or the tool, or it does not take the arguments any
                more, if it is to be called.
        """
        obstacle = self._tools.find_missing_agent([request.agent, await self._agent_of(request)])
        if not obstacle and isinstance(answer, Approve):
            obstacle = await self._tools.find_obstacle(request, answer.arguments)
        if obstacle:
            raise DecisionError(
                f"{obstacle}; deploy it again, or cancel the run",
                run_id=request.run_id,
                key=request.key,
            )

    async def _agent_of(self, request: ApprovalRequest) -> str:
        """The agent that was asked, which may have asked the one that calls."""
        if Capability.LISTS not in self._journals.capabilities:
            return request.agent
        return (await self._journals.find(request.run_id)).agent

    async def report_obstacles(self) -> None:
        """Log what keeps runs that wait from going on in this process."""
        try:
            found = await self._find_obstacles()
        except OSError as error:  # the database is away, which the journals tell
            logger.warning("runs that wait could not be read", error_type=type(error).__name__)
            return
        for obstacle, run_ids in found.items():
            logger.warning(
                "runs that wait cannot go on in this process",
                obstacle=obstacle,
                runs=len(run_ids),
                run_ids=run_ids[:_NAMED_RUNS],
                remedy="deploy it again, or cancel them: arc runs cancel",
            )

    async def _find_obstacles(self) -> Mapping[str, Sequence[str]]:
        """Return the runs that wait and cannot go on, by what keeps them from it."""
        found: dict[str, list[str]] = {}
        for request in await self._journals.waiting():
            obstacle = self._tools.find_missing_agent([request.agent])
            if obstacle := obstacle or await self._tools.find_obstacle(request):
                found.setdefault(obstacle, []).append(request.run_id)
        return found

    async def _check_arguments(self, request: ApprovalRequest, answer: Approve | Deny) -> None:
        if isinstance(answer, Approve) and answer.arguments is not None:
            problems = await self._problems(request, answer.arguments)
            if problems:
                raise DecisionError("; ".join(problems), run_id=request.run_id, key=request.key)

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
    result: AgentResult[Any] = found.result
    if message := _MESSAGES.get(found.state):
        code = AgentErrorCode.UNAVAILABLE
        result = replace(result, error_code=code, error_message=message)
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
