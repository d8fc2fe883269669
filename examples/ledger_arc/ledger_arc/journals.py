"""Takes runs from the file, and brings them to their ends."""

import asyncio
import os
from collections.abc import AsyncGenerator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from arc_core import (
    AgentCommand,
    AgentErrorCode,
    AgentEvent,
    AgentResult,
    ConfigurationError,
    Decision,
    DecisionError,
    Logger,
    NumberedEvent,
    Request,
    RunBody,
    RunConflictError,
    RunFinished,
    RunState,
    RunStore,
    RunSummary,
    RunSuspended,
    UnknownRunError,
    find_decision_problem,
)
from arc_core.forms import from_json, to_json
from arc_core.runs.requests import select_requests
from ledger_arc.deps import write_deps
from ledger_arc.journal import LedgerJournal
from ledger_arc.ledger import Ledger

__all__ = ["LedgerRunJournals"]

_LOOK_EVERY_S = 0.02
_HANDOVER_TIMEOUT_S = 5.0
_HELD_S = 30.0

_CLAIM = """UPDATE runs SET state = 'running', life = life + 1
    WHERE state = 'queued' AND due <= :now RETURNING *"""
_OPEN = """SELECT request FROM requests NATURAL JOIN (SELECT run_id, state FROM runs)
    WHERE decision IS NULL AND state != 'finished'"""
_DECIDE = """UPDATE requests SET decision = :decision,
    life = (SELECT life FROM runs WHERE run_id = :run_id)
    WHERE run_id = :run_id AND key = :key AND decision IS NULL AND request = :request"""
_APPROVE = """UPDATE requests SET request = :approved
    WHERE run_id = :run_id AND key = :key AND decision IS NULL AND request = :request"""
_GO_ON = """UPDATE runs SET state = 'queued' WHERE run_id = :run_id AND state = 'waiting'
    AND NOT EXISTS (SELECT 1 FROM requests
        WHERE run_id = :run_id AND key = :key AND decision IS NOT :decision)"""
_LEAVE = """UPDATE runs SET due = :due, state = CASE
    WHEN EXISTS (SELECT 1 FROM requests WHERE run_id = :run_id AND life = :life) THEN 'queued'
    ELSE :state END WHERE run_id = :run_id AND life = :life AND state = 'running'"""
_TELL_END = """INSERT INTO events SELECT NULL, :run_id, :run_id, :seq, 1, :event
    WHERE NOT EXISTS (SELECT 1 FROM events WHERE run_id = :run_id AND is_end)"""
_CANCEL = """UPDATE runs SET state = 'queued', due = 0, is_cancelled = 1
    WHERE run_id = :run_id AND state != 'finished' AND NOT is_cancelled"""
_FINISH = """UPDATE runs SET state = 'finished', result = :result
    WHERE run_id = :run_id AND state != 'finished'"""


class LedgerRunJournals(RunStore):
    """Keeps all runs in one SQLite file, for one process at a time.

    Args:
        logger: Told of runs that raise.
        path: The file; else what `ARC_LEDGER` names, or `runs.sqlite`.
    """

    def __init__(self, *, logger: Logger, path: Path | None = None) -> None:
        self._ledger = Ledger(path or Path(os.environ.get("ARC_LEDGER", "runs.sqlite")))
        self._logger = logger
        self._worker: asyncio.Task[None] | None = None
        self._lives: dict[str, tuple[LedgerJournal, asyncio.Task[None]]] = {}
        self._cancelled: set[str] = set()

    async def start(self, body: RunBody) -> None:
        """Take runs from now on: those that are left from the last process first."""
        self._worker = asyncio.create_task(self._work(body))

    async def aclose(self) -> None:
        """Let go: runs leave after the steps they are at, and stay in the file as they are."""
        worker, self._worker = self._worker, None
        if worker is not None:
            worker.cancel()
            await asyncio.wait([worker])
        tasks = [task for _, task in self._lives.values()]
        for journal, _ in self._lives.values():
            journal.is_closing = True
        if tasks:
            _, pending = await asyncio.wait(tasks, timeout=_HANDOVER_TIMEOUT_S)
            for task in pending:
                task.cancel()
            await asyncio.wait(tasks)
        await self._ledger.aclose()

    async def _work(self, body: RunBody) -> None:
        while True:
            await self._expire_requests()
            for run in await self._ledger.do(_CLAIM, now=datetime.now(UTC).timestamp()):
                journal = LedgerJournal(
                    self._ledger, run, last_seqs=await self._find_last_seqs(run["run_id"])
                )
                attempt = asyncio.create_task(self._live(body, run, journal))
                self._lives[journal.run_id] = journal, attempt
            await asyncio.sleep(_LOOK_EVERY_S)

    async def _expire_requests(self) -> None:
        now = datetime.now(UTC)
        find = "SELECT * FROM requests WHERE decision IS NULL AND until <= :now"
        for row in await self._ledger.do(find, now=now.timestamp()):
            await self._settle(row, from_json(row["request"], Request).expire(now))

    async def _live(self, body: RunBody, run: Any, journal: LedgerJournal) -> None:
        run_id, command = journal.run_id, from_json(run["command"], AgentCommand)
        try:
            await self._finish(run_id, await body(command, journal))
        except RunSuspended as suspended:
            state = "waiting" if suspended.requests else "queued"
            due = 0.0
            if suspended.problem:
                self._logger.warning("a run is held", run_id=run_id, problem=suspended.problem)
                due = datetime.now(UTC).timestamp() + _HELD_S
            leave = {"run_id": run_id, "life": run["life"], "state": state, "due": due}
            await self._ledger.do(_LEAVE, **leave)
        except asyncio.CancelledError:
            if run_id not in self._cancelled:
                raise
        except Exception:  # a body that raises must not leave its run without an end
            self._logger.exception("a run has raised instead of ending", run_id=run_id)
            await self._finish(run_id, _failure(run_id, AgentErrorCode.UNKNOWN))
        finally:
            del self._lives[run_id]
            if run_id in self._cancelled:
                self._cancelled.discard(run_id)
                await self._finish(run_id, _failure(run_id, AgentErrorCode.CANCELLED))

    async def _finish(self, run_id: str, result: AgentResult) -> None:
        seq = (await self._find_last_seqs(run_id)).get(run_id, 0) + 1
        event = to_json(RunFinished(result, run_id=run_id, seq=seq))
        values = {"run_id": run_id, "result": to_json(result), "seq": seq, "event": event}
        await self._ledger.do(_TELL_END, _FINISH, **values)

    async def submit(
        self,
        command: AgentCommand,
        *,
        run_id: str,
        deps: Any = None,
        queue: str | None = None,
        not_before: datetime | None = None,
    ) -> None:
        """Write a run into the file, unless it is there."""
        if queue not in {None, "default"}:
            raise ConfigurationError(f"there is no queue {queue!r}", remedy="leave the queue out")
        text, due = to_json(command), (not_before or datetime.now(UTC)).timestamp()
        (run,) = await self._ledger.do(
            "INSERT OR IGNORE INTO runs (run_id, command, deps, due) "
            "VALUES (:run_id, :command, :deps, :due)",
            "SELECT command FROM runs WHERE run_id = :run_id",
            run_id=run_id, command=text, deps=write_deps(deps), due=due,
        )  # fmt: skip
        if run["command"] != text:
            raise RunConflictError(run_id)

    async def find(self, run_id: str) -> RunSummary:
        """One run, with its end if it has one."""
        run, open_ones = await self._find(run_id), await self._open_requests(run_id=run_id)
        return _make_summary(run, open_ones)

    async def list(
        self,
        *,
        state: RunState | None = None,
        limit: int | None = 50,
        requests: Mapping[str, str] | None = None,
    ) -> Sequence[RunSummary]:
        """The runs for which people have to decide."""
        found: dict[str, list[Request]] = {}
        for each in await self._open_requests(**(requests or {})):
            found.setdefault(each.run_id, []).append(each)
        return [_make_summary(await self._find(each), asked) for each, asked in found.items()]

    async def events(self, run_id: str, *, after: int = 0) -> AsyncGenerator[NumberedEvent]:
        """The events of a run, looked for every 20 ms."""
        find = "SELECT * FROM events WHERE run_id = :run_id AND place > :place ORDER BY place"
        place, is_behind = 0, after > 0
        while True:
            state = (await self._find(run_id))["state"]
            for row in await self._ledger.do(find, run_id=run_id, place=place):
                place = row["place"]
                if not is_behind:
                    yield from_json(row["event"], AgentEvent)
                is_behind = is_behind and (row["teller"] != run_id or row["seq"] < after)
            if state in {"finished", "waiting"}:
                return
            await asyncio.sleep(_LOOK_EVERY_S)

    async def decide(self, run_id: str, key: str, decision: Decision) -> None:
        """Let a waiting call go on, or not; of two decisions the file takes the first."""
        is_kept = False
        while not is_kept:
            run, row = await self._find(run_id), await self._find_request(run_id, key)
            problem = find_decision_problem(
                decision,
                request=None if row is None else from_json(row["request"], Request),
                made=None if row is None else _decision_in(row),
                has_ended=run["state"] == "finished",
            )
            if problem is not None:
                raise DecisionError(problem, run_id=run_id, key=key)
            is_kept = await self._settle(row, decision)

    async def _settle(self, row: Any, decision: Decision) -> bool:
        """Keep a decision or an approval, unless another one has come before it."""
        run_id, key = row["run_id"], row["key"]
        taken = from_json(row["request"], Request).take(decision)
        values = {"run_id": run_id, "key": key, "request": row["request"]}
        if isinstance(taken, Request):
            await self._ledger.do(_APPROVE, approved=to_json(taken), **values)
            return bool((await self._find_request(run_id, key))["request"] == to_json(taken))
        await self._ledger.do(_DECIDE, _GO_ON, decision=to_json(taken), **values)
        return _decision_in(await self._find_request(run_id, key)) == taken

    async def _find_request(self, run_id: str, key: str) -> Any:
        find = "SELECT * FROM requests WHERE run_id = :run_id AND key = :key"
        rows = await self._ledger.do(find, run_id=run_id, key=key)
        return next(iter(rows), None)

    async def cancel(self, run_id: str) -> None:
        """End a run, as soon as its attempt has left; one without an attempt gets one for it."""
        await self._find(run_id)
        if run_id not in self._lives:
            await self._ledger.do(_CANCEL, run_id=run_id)
            return
        journal, attempt = self._lives[run_id]
        if not journal.is_cancelled:
            self._cancelled.add(run_id)
            attempt.cancel()

    async def _open_requests(self, **filters: str) -> Sequence[Request]:
        asked = [from_json(row["request"], Request) for row in await self._ledger.do(_OPEN)]
        return select_requests(asked, filters)

    async def _find(self, run_id: str) -> Any:
        for run in await self._ledger.do("SELECT * FROM runs WHERE run_id = :id", id=run_id):
            return run
        raise UnknownRunError(run_id)

    async def _find_last_seqs(self, run_id: str) -> dict[str, int]:
        """The highest number that was told by the run, and by each of those below it."""
        find = "SELECT teller, MAX(seq) AS seq FROM events WHERE run_id = :run_id GROUP BY teller"
        return {row["teller"]: row["seq"] for row in await self._ledger.do(find, run_id=run_id)}


def _make_summary(run: Any, requests: Sequence[Request]) -> RunSummary:
    result = None if run["result"] is None else from_json(run["result"], AgentResult)
    command = from_json(run["command"], AgentCommand)
    return RunSummary(
        run_id=run["run_id"],
        state=RunState(run["state"]),
        agent=command.agent or "default",
        since=datetime.fromtimestamp(run["due"], UTC),
        requests=tuple(requests),
        result=result,
    )


def _decision_in(row: Any) -> Decision | None:
    return None if row["decision"] is None else from_json(row["decision"], Decision)


def _failure(run_id: str, code: AgentErrorCode) -> AgentResult:
    message = "The run was cancelled." if code is AgentErrorCode.CANCELLED else "The run failed."
    return AgentResult(success=False, error_code=code, error_message=message, run_id=run_id)
