"""The records of runs as people look at them: in turns, secrets and personal data masked.

The page and `arc runs show` read them. `ServedApplication.records` gives those that a caller has
the right to see.
"""

from abc import abstractmethod
from dataclasses import asdict, dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, Protocol, runtime_checkable

from arc_core.runs.callers import Caller
from arc_core.runs.store import RunSummary
from arc_core.usage import TokenUsage


@dataclass(frozen=True, slots=True, kw_only=True)
class TimelineStep:
    """A step of a run, as people see it.

    Attributes:
        name: Its key, as `model/3`.
        place: Of the run below that it belongs to, as `tool/3/`; empty for the run itself.
        kind: Its kind, as `model`.
        turn: The turn of its run, from 1; 0 before the first one.
        label: The agent, model or tool that it is about; empty if there is none.
        outcome: How it ended, in a word or a few.
        started_at: When it began, in UTC, if that is recorded; of a call that waits for a person,
            when the person was asked.
        ended_at: When it was recorded, in UTC, if that is known; of a call that waits for a person,
            when it went on, and None as long as it waits.
        duration_s: How long it took, if that is recorded.
        usage: The tokens that it used, runs below included; None if no model was asked.
        cost: Of these; None if it is not known.
        attempts: How often models were asked until one answered.
        arguments: Of a tool call, as the model wrote them.
        text: What it gave, for the model or for people.
        calls: The names of the tools that a model called.
        attempt: The number of the attempt at the run that begins with it, from 1; 0 of all other
            steps, and if that is not recorded.
        worker: The process that has taken the run then; empty if it is always the same.
        deaths: How many processes had died before, at the step at which the run was.
    """

    name: str
    kind: str
    place: str = ""
    turn: int = 0
    label: str = ""
    outcome: str = ""
    started_at: datetime | None = None
    ended_at: datetime | None = None
    duration_s: float | None = None
    usage: TokenUsage | None = None
    cost: Decimal | None = None
    attempts: int = 1
    arguments: str = ""
    text: str = ""
    calls: tuple[str, ...] = ()
    attempt: int = 0
    worker: str = ""
    deaths: int = 0

    @property
    def cached_share(self) -> float | None:
        """The share of the prompt that the vendor read from its cache; None without a prompt."""
        if self.usage is None or not self.usage.prompt_tokens:
            return None
        return self.usage.cached_tokens / self.usage.prompt_tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeline:
    """A run as people look at it.

    Attributes:
        run_id: Its id.
        prompt: What was asked.
        steps: In the order of their ends.
        usage: Of the run itself and the tools that ran others.
        cost: Of these, as far as it is known; None if none of it is.
        attempts: How often the run was begun or taken up again; 0 if that is not kept.
        deaths: How many processes have died at the step at which it is.
    """

    run_id: str
    prompt: str
    steps: tuple[TimelineStep, ...]
    usage: TokenUsage
    cost: Decimal | None
    attempts: int = 0
    deaths: int = 0

    def to_dict(self) -> dict[str, Any]:
        """The same for JSON; each step has its `cached_share`, too."""
        steps = [{**asdict(each), "cached_share": each.cached_share} for each in self.steps]
        made: dict[str, Any] = _make_plain({**asdict(self), "steps": steps})
        return made


@runtime_checkable
class ServedRecords(Protocol):
    """The records of the runs of an application, for callers with the right to see them."""

    @abstractmethod
    async def find(self, run_id: str, *, caller: Caller) -> "ServedRecord":
        """Return the record of a run.

        Raises:
            NotPermittedError: The key has no right to see records.
            UnknownRunError: There is no such run, or the caller may not see it.
            FormError: Only another version of Arc can read it.
            ConfigurationError: The store does not record runs.
        """


@runtime_checkable
class ServedRecord(Protocol):
    """The record of one run, as far as it is; what it gives is masked.

    Attributes:
        version: A text that changes with each step; what it gives stays the same until then.
        summary: Where the run is, without its result.
    """

    version: str
    summary: RunSummary

    @abstractmethod
    async def timeline(self) -> Timeline:
        """Return the run as a timeline.

        Raises:
            FormError: A step was edited, or written by another version of Arc.
            ConfigurationError: A mask cannot tell what to mask.
        """

    @abstractmethod
    async def step(self, name: str) -> str | None:
        """Return a step whole, as JSON that people read; None if the run has no such step.

        Raises:
            FormError: It was edited, or written by another version of Arc.
            ConfigurationError: A mask cannot tell what to mask.
        """


def _make_plain(value: Any) -> Any:
    match value:
        case dict():
            return {key: _make_plain(each) for key, each in value.items()}
        case list() | tuple():
            return [_make_plain(each) for each in value]
        case datetime():
            return value.isoformat()
        case Decimal():
            return str(value)
    return value
