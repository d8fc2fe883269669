"""Earlier names of runs, and interfaces that stores added one by one, before `RunStore` had them.

They stay for code that imports them or derives from them; nothing in Arc asks for them.
"""

from typing import Any, Protocol, runtime_checkable

from arc_core.runs.run import RunHandle
from arc_core.runs.runs import Runs
from arc_core.runs.store import RunStore

RunJournals = RunStore
"""Use `RunStore`."""

ServedRun = RunHandle
"""Use `RunHandle`."""

ServedRuns = Runs
"""Use `Runs`."""


@runtime_checkable
class BeginsByClock(Protocol):
    """Use `RunStore.scheduled_agents`."""

    scheduled_agents: Any


@runtime_checkable
class BeginsRuns(Protocol):
    """Use `RunStore.begin`."""

    begin: Any


@runtime_checkable
class KeepsSoFar(Protocol):
    """Use `RunJournal.keep_so_far`."""

    keep_so_far: Any


@runtime_checkable
class ListsRuns(Protocol):
    """Use `RunStore.runs` and `Capability.LISTS`."""

    layout: str
    runs: Any


@runtime_checkable
class RecordsHistory(Protocol):
    """Use `RunStore.history`."""

    history: Any


@runtime_checkable
class ReportsKeptRuns(Protocol):
    """Use `RunStore.report_runs`."""

    report_runs: Any


@runtime_checkable
class RetriesRuns(Protocol):
    """Use `RunStore.retry` and `Capability.RETRIES`."""

    retry: Any


@runtime_checkable
class RunsInPlace(Protocol):
    """Use `RunStore.open`, and leave `Capability.KEEPS` out."""

    open: Any


@runtime_checkable
class WorksQueues(Protocol):
    """Use `RunStore.work_on` and `Capability.QUEUES`."""

    work_on: Any
