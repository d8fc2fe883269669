"""Runs the engine for a run that was taken, and keeps its end, or that it goes on later."""

import asyncio
import json
from collections.abc import Callable
from dataclasses import is_dataclass, replace
from functools import partial
from importlib import import_module
from math import inf
from operator import attrgetter
from typing import Any

from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic_core import PydanticSerializationError
from sqlalchemy.exc import SQLAlchemyError

from arc_core import AgentCommand, AgentErrorCode, AgentResult, Logger, RunFinished
from arc_core.errors import FormError
from arc_core.forms import from_json, to_json
from arc_core.runs.journal import RunBody, RunSuspended
from arc_plugins.journals.sql import run_store, upkeep
from arc_plugins.journals.sql.database import DatabaseThreads
from arc_plugins.journals.sql.journal import DurableRunJournal, GroupCommit, RunWriter
from arc_plugins.journals.sql.run_store import Taken
from arc_plugins.journals.sql.session import Wakeups

_DEPS_REMEDY = (
    "hand over a pydantic model or a dataclass that stands at the top of a module, "
    "with fields that JSON carries"
)


def write_deps(deps: object) -> str | None:
    """The text of a value, None for none; a FormError if it has no JSON form."""
    if deps is None:
        return None
    if type(deps) is tuple:  # several values
        return f"[{','.join(str(write_deps(each)) for each in deps)}]"
    cls = type(deps)
    path = f"{cls.__module__}:{cls.__qualname__}"
    if not _has_form(cls) or "<" in path:
        raise _refuse_deps(f"{cls.__name__} has no JSON form")
    try:
        value = TypeAdapter(cls).dump_json(deps).decode()
    except (PydanticSerializationError, ValueError, TypeError):
        raise _refuse_deps(f"a field of {cls.__name__} has no JSON form") from None
    text = f'{{"class":{json.dumps(path)},"value":{value}}}'
    if read_deps(text) != deps:
        raise _refuse_deps(f"{cls.__name__} is another value when it is read back")
    return text


def read_deps(text: str | None) -> Any:
    """The value of a text; a FormError if its class is not there, or takes other fields."""
    if text is None:
        return None
    found = json.loads(text)
    if isinstance(found, list):
        return tuple(read_deps(json.dumps(each)) for each in found)
    module, _, name = str(found["class"]).partition(":")
    problem = f"{module}:{name} cannot be read"
    try:
        cls = attrgetter(name)(import_module(module))
        if not isinstance(cls, type) or not _has_form(cls):
            raise _refuse_deps(problem)
        return TypeAdapter(cls).validate_json(json.dumps(found["value"]))
    except (ImportError, AttributeError, ValidationError):
        remedy = "run it with the version of your code that submitted it"
        raise _refuse_deps(problem, remedy=remedy) from None


def _refuse_deps(problem: str, *, remedy: str = _DEPS_REMEDY) -> FormError:
    return FormError(problem, place="$.deps", remedy=remedy)


def _has_form(cls: type) -> bool:
    return issubclass(cls, BaseModel) or is_dataclass(cls)


_MOST_CRASHES = 20
"""A run whose processes died this often at one step is what kills them."""

_LAST_WORDS_S = 5.0
"""The seconds in which a run has to leave that is cancelled since its process closes."""

_HELD_S = 30.0
"""After how long a run that is held is tried again, in whatever process takes it."""

_REMEDY = "deploy what is missing again, or cancel the run: arc runs cancel"

_PROBLEMS = {
    AgentErrorCode.CANCELLED: "The run was cancelled.",
    AgentErrorCode.UNKNOWN: "Something went wrong.",
}


class RunDriver:
    """The attempts of one process, all on one event loop.

    Attributes:
        executor: The name of the process; it changes when that becomes the worker on a file.
        process: The name of the process, which stays.
    """

    def __init__(
        self,
        threads: DatabaseThreads,
        *,
        body: RunBody,
        executor: str,
        wakeups: Wakeups,
        logger: Logger,
    ) -> None:
        self.executor = self.process = executor
        self._threads, self._body = threads, body
        self._group = GroupCommit(threads)
        self._wakeups, self._logger = wakeups, logger
        self._attempts: dict[str, DurableRunJournal] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._is_closing = False

    @property
    def running(self) -> int:
        """The number of runs that this process has."""
        return len(self._attempts)

    def has(self, run_id: str) -> bool:
        """Return true if an attempt here has a run."""
        return run_id in self._attempts

    def begin(self, taken: Taken) -> asyncio.Task[None]:
        """Go on with a run that this process has taken already."""
        task = asyncio.create_task(self._attempt(taken))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def stop(self, run_id: str) -> None:
        """End a run, if it is here."""
        journal = self._attempts.get(run_id)
        if journal is not None and not journal.is_stopped:
            journal.is_stopped = True
            if journal.task is not None:  # after its first step, so that it ends in order
                journal.task.get_loop().call_soon(journal.task.cancel)

    async def let_go(self, *, timeout_s: float) -> None:
        """Begin nothing more; let steps end, then have all runs leave."""
        self._is_closing = True
        for journal in self._attempts.values():
            journal.is_closing = True
        await self._wait(timeout_s)
        for journal in self._attempts.values():
            if journal.task is not None:
                journal.task.cancel()
        await self._wait(_LAST_WORDS_S)
        for task in self._tasks:
            task.cancel()
        await self._wait(_LAST_WORDS_S)

    async def _wait(self, timeout_s: float) -> None:
        tasks = self._tasks - {asyncio.current_task()}
        if tasks:
            await asyncio.wait(tasks, timeout=timeout_s)

    async def _attempt(self, taken: Taken) -> None:
        run_id = taken.run_id
        writer = RunWriter(self._group, taken, wakeups=self._wakeups)
        journal = DurableRunJournal(self._threads, writer, taken)
        self._attempts[run_id] = journal
        journal.is_closing, journal.worker = self._is_closing, self.process
        try:
            result = await self._result(journal, taken)
            await self._finish(journal, result)
        except RunSuspended as suspended:
            if suspended.problem and not suspended.requests:
                await self._hold(journal, suspended.problem, was_held_for=taken.held)
            else:
                await self._hand_back(journal, [request.key for request in suspended.requests])
        except SQLAlchemyError as error:
            self._logger.error(  # noqa: TRY400 -- its text would show what people said
                "run_cannot_be_ended", run_id=run_id, error_type=type(error).__name__
            )
        finally:
            if self._attempts.get(run_id) is journal:
                del self._attempts[run_id]
            writer.close()
            self._wakeups.wake_readers(run_id)

    async def _result(self, journal: DurableRunJournal, taken: Taken) -> AgentResult:
        """Return the result of the engine, or what stands for it, unless the run goes on later."""
        if taken.crashes > _MOST_CRASHES:
            self._logger.error(
                "run_ends_its_processes", run_id=journal.run_id, deaths=taken.crashes
            )
            journal.given_up_after = taken.crashes
        if taken.crashes > _MOST_CRASHES + 1:  # its end does so, too
            problem = f"The run was given up: its process died {taken.crashes} times."
            return _failure(journal.run_id, AgentErrorCode.UNKNOWN, problem)
        try:
            command = from_json(taken.command, AgentCommand)
            journal.deps = read_deps(taken.deps)
        except FormError as error:  # as of a class of deps that has another name now
            if journal.is_stopped:
                return _failure(journal.run_id, AgentErrorCode.CANCELLED)
            raise RunSuspended(problem=f"it cannot be read: {error}") from error
        return await self._run(journal, command)

    async def _run(self, journal: DurableRunJournal, command: AgentCommand) -> AgentResult:
        journal.task = asyncio.ensure_future(self._body(command, journal))
        try:
            return await journal.task
        except asyncio.CancelledError:
            if journal.is_stopped and not journal.is_closing:
                return _failure(journal.run_id, AgentErrorCode.CANCELLED)
            if journal.task.cancelled() and journal.is_closing:
                raise RunSuspended from None
            raise
        except Exception:  # of the engine, which is not to raise
            self._logger.exception("run_raised", run_id=journal.run_id)
            journal.last_event = None  # it told an end that could not be recorded
            return _failure(journal.run_id, AgentErrorCode.UNKNOWN)

    async def _finish(self, journal: DurableRunJournal, result: AgentResult) -> None:
        writer = journal.writer
        if not await writer.drain():
            raise RunSuspended
        last = journal.last_event
        if last is None:
            last = RunFinished(result, run_id=journal.run_id, seq=writer.last_seq + 1)
        text = to_json(last.result)
        is_recorded = text == journal.finish_text
        kept = None if is_recorded else writer.shorten(text)
        end = partial(run_store.finish, result=kept, batch=writer.last_batch(last))
        await self._persist(journal, end)

    async def _hold(
        self, journal: DurableRunJournal, problem: str, *, was_held_for: str | None
    ) -> None:
        await journal.writer.drain()
        if problem != was_held_for:
            self._logger.warning(
                "run_is_held", run_id=journal.run_id, problem=problem, remedy=_REMEDY
            )
        hold_back = partial(upkeep.hold_back, problem=problem, seconds=_HELD_S)
        await self._persist(journal, hold_back)
        self._wakeups.look()

    async def _hand_back(self, journal: DurableRunJournal, keys: list[str]) -> None:
        writer = journal.writer
        await writer.drain()
        so_far = None if journal.so_far is None else replace(journal.so_far, waiting=())
        hand_back = partial(
            run_store.hand_back,
            waits_for=keys,
            so_far=None if so_far is None else writer.shorten(to_json(so_far)),
            has_crashed=writer.is_lost,
        )
        await self._persist(journal, hand_back)
        self._wakeups.look()

    async def _persist(self, journal: DurableRunJournal, leave: Callable[..., object]) -> None:
        """Write how an attempt leaves its run, whenever the database is there."""
        work = partial(leave, run_id=journal.run_id, attempt_id=journal.attempt_id)
        await self._threads.persist(work, patience_s=inf)


def _failure(run_id: str, code: AgentErrorCode, problem: str | None = None) -> AgentResult:
    message = problem or _PROBLEMS[code]
    return AgentResult(success=False, error_code=code, error_message=message, run_id=run_id)
