"""A recording as a timeline: a value a step, for the commands and the page that show runs.

The records of runs that they are shown are masked as exports are.
"""

import json
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from hashlib import sha256
from typing import Any

from arc_core.engine.journal.records import (
    AgentStep,
    ApprovalStep,
    CachedStep,
    CompactionStep,
    EntryStep,
    HandoverStep,
    ModelStep,
    QuestionStep,
    StopStep,
    ToolAttempt,
    ToolNote,
    ToolStep,
)
from arc_core.interfaces.serving.served_records import (
    ServedRecord,
    ServedRecords,
    Timeline,
    TimelineStep,
)
from arc_core.messages import ToolCall
from arc_core.recordings.export import RecordingExporter
from arc_core.recordings.reading import ASKING_KINDS, Step, StepKey, read_recording, read_steps
from arc_core.result import AgentResult
from arc_core.runs.callers import Caller
from arc_core.runs.journal import Recording, RunHistory
from arc_core.runs.runs import Runs, UnmaskedRecord
from arc_core.usage import TokenUsage


def make_timeline(recording: Recording, history: RunHistory | None = None) -> Timeline:
    """Return the timeline of a recording.

    Args:
        recording: Of the run, masked if the timeline leaves the process.
        history: Of the run, which has attempts and times; None leaves them out.

    Raises:
        FormError: A step was edited, or written by another version of Arc.
    """
    ends = {} if history is None else {each.key: each.ended_at for each in history.steps}
    steps = _number_attempts(_place_in_turns([*read_steps(recording)], ends))
    own = [each for each in steps if not each.place]
    costs = [each.cost for each in own if each.cost is not None]
    return Timeline(
        run_id=recording.run_id,
        prompt=recording.command.user_prompt,
        steps=tuple(steps),
        usage=sum((each.usage for each in own if each.usage is not None), TokenUsage()),
        cost=sum(costs, Decimal(0)) if costs else None,
        attempts=0 if history is None else history.attempts,
        deaths=0 if history is None else history.deaths,
    )


def format_step(recording: Recording, name: str) -> str | None:
    """Return a step whole, as JSON that people read; None if the run has no such step."""
    text = recording.steps.get(name)
    return None if text is None else json.dumps(json.loads(text), indent=2, ensure_ascii=False)


def _place_in_turns(steps: Sequence[Step], ends: Mapping[str, datetime]) -> Iterator[TimelineStep]:
    """Yield what each step shows, with its turn and the call that a model made."""
    calls: dict[str, list[tuple[int, ToolCall]]] = {}
    turns: dict[str, int] = {}
    began = _list_begins(steps)
    for step in steps:
        place, value = step.key.place, step.value
        if isinstance(value, ModelStep):
            turns[place] = step.key.number
            asked = (value.shown or value.response.message).tool_calls
            calls.setdefault(place, []).extend((step.key.number, call) for call in asked)
        entry = replace(_describe(step, ends.get(step.name)), turn=turns.get(place, 0))
        if (call := _get_call(step.key)) is not None:
            entry = _with_call(entry, call, calls)
            if isinstance(value, ApprovalStep | QuestionStep) and value.since:
                entry = _with_wait(entry, datetime.fromisoformat(value.since), began[call])
        yield entry


def _get_call(key: StepKey) -> tuple[str, int] | None:
    """Return the place of the run and the number of the tool call that a step is about, if any."""
    if key.kind == "tool" or key.kind in ASKING_KINDS:
        return key.place, key.number
    if key.kind not in {"begun", "asked", "note"}:  # whose place is that of the call
        return None
    *rest, number = key.place.removesuffix("/").split("/")
    place = "".join(f"{each}/" for each in rest[:-1])
    return place, int(number) if number.isdecimal() else -1


def _with_call(
    entry: TimelineStep, call: tuple[str, int], calls: Mapping[str, list[tuple[int, ToolCall]]]
) -> TimelineStep:
    """Return a step about a tool call with the name, the arguments and the turn of that call."""
    place, number = call
    made = calls.get(place, [])
    if not 0 <= number < len(made):
        return replace(entry, place=place)
    turn, its = made[number]
    return replace(entry, place=place, turn=turn, label=its.name, arguments=its.arguments)


def _list_begins(steps: Iterable[Step]) -> Mapping[tuple[str, int], list[datetime]]:
    """Return when each call was begun, or a person asked about it, as far as that is recorded.

    For logins at the start, whose number is -1, it is when an agent could begin.
    """
    began = defaultdict[tuple[str, int], list[datetime]](list)
    for step in steps:
        if step.key.kind in {"enter", "hand_over"} and step.record.ended_at is not None:
            began[step.key.place, -1].append(step.record.ended_at)
        call, at = _get_call(step.key), step.record.started_at
        if isinstance(step.value, ApprovalStep | QuestionStep):
            at = datetime.fromisoformat(step.value.since) if step.value.since else None
        if call is not None and at is not None and call[1] >= 0:
            began[call].append(at)
    return began


def _with_wait(entry: TimelineStep, since: datetime, began: Iterable[datetime]) -> TimelineStep:
    """Return a step in which a person was asked, as the time until the call went on."""
    until = min((each for each in began if each > since), default=None)
    return replace(
        entry,
        outcome=f"waits since {since.isoformat()}" if until is None else "waited",
        started_at=since,
        ended_at=until,
        duration_s=None if until is None else (until - since).total_seconds(),
    )


def _number_attempts(steps: Iterable[TimelineStep]) -> list[TimelineStep]:
    """Return the steps, with the number of each attempt at the step with which it begins."""
    made, numbered = 0, []
    for step in steps:
        made += step.attempt
        numbered.append(replace(step, attempt=made) if step.attempt else step)
    return numbered


def _describe(step: Step, recorded_at: datetime | None) -> TimelineStep:
    record, value = step.record, step.value
    began, ended, attempt = record.started_at, record.ended_at, record.attempt
    entry = TimelineStep(
        name=step.name,
        place=step.key.place,
        kind=step.key.kind,
        started_at=began,
        ended_at=ended or recorded_at,
        duration_s=(ended - began).total_seconds() if began and ended else None,
    )
    if attempt is not None:
        entry = replace(entry, attempt=1, worker=attempt.worker, deaths=attempt.deaths)
    return replace(entry, **_FACTS[type(value)](value))


def _get_model_facts(value: ModelStep) -> dict[str, Any]:
    message = value.shown or value.response.message
    reason = value.response.finish_reason
    calls = tuple(each.name for each in message.tool_calls)
    return {
        "label": value.vendor_model or value.model or "",
        "outcome": "" if reason is None else reason.value,
        "usage": value.response.usage,
        "cost": value.cost,
        "attempts": value.attempts,
        "text": message.text if value.checked is None else value.checked,
        "calls": calls,
    }


def _get_tool_facts(value: ToolStep) -> dict[str, Any]:
    return {
        "label": value.result.name,
        "outcome": value.result.outcome.value,
        "duration_s": value.duration_ms / 1000,
        "usage": value.usage,
        "cost": value.cost,
        "text": value.result.text,
    }


def _get_compaction_facts(value: CompactionStep) -> dict[str, Any]:
    cleared, dropped = len(value.cleared), value.dropped
    done = [f"{cleared} results cleared"] if cleared else []
    done += [f"{dropped} exchanges left out"] if dropped else []
    tokens = f"{value.tokens_before:,} to {value.tokens_after:,} tokens"
    return {
        "outcome": ", ".join((*done, tokens)),
        "usage": value.usage,
        "cost": value.cost,
        "text": value.text,
    }


def _get_result_facts(value: AgentResult[Any]) -> dict[str, Any]:
    code = "" if value.error_code is None else value.error_code.value
    return {
        "label": value.agent or "",
        "outcome": "success" if value.success else code,
        "text": value.content or value.error_message or "",
    }


_FACTS: Mapping[type, Callable[[Any], dict[str, Any]]] = {
    StopStep: lambda value: {"outcome": value.code.value, "text": value.message or ""},
    AgentStep: lambda value: {"label": value.agent, "outcome": "begun"},
    EntryStep: lambda value: {"outcome": "let in", "text": value.prompt},
    ModelStep: _get_model_facts,
    ToolStep: _get_tool_facts,
    ApprovalStep: lambda value: {"outcome": value.verdict.value, "text": value.text},
    QuestionStep: lambda value: {"text": value.text or f"A login at {value.service}"},
    ToolNote: lambda value: {"text": value.text},
    ToolAttempt: lambda value: {"outcome": f"begun in attempt {value.attempt_id}"},
    CompactionStep: _get_compaction_facts,
    HandoverStep: lambda value: {"outcome": "handed over", "text": value.system_prompt},
    CachedStep: lambda value: {
        "outcome": "not cached" if value.content is None else "from the cache",
        "text": value.content or "",
    },
    AgentResult: _get_result_facts,
}
"""The facts in the value of each kind of step."""


_VERSION_DIGITS = 32


class MaskedRecords(ServedRecords):
    """Reads records, and has them masked when they are looked at."""

    def __init__(
        self, runs: Runs, make_exporter: Callable[[], Awaitable[RecordingExporter]]
    ) -> None:
        self._runs, self._make_exporter = runs, make_exporter

    async def find(self, run_id: str, *, caller: Caller | None = None) -> "MaskedRecord":
        """Return the record of a run; without a caller, of any."""
        runs = self._runs if caller is None else self._runs.for_caller(caller)
        return MaskedRecord(await runs.record(run_id), self._make_exporter)


class MaskedRecord(ServedRecord):
    """The record of one run.

    Attributes:
        version: A text that changes with each step.
        summary: Where the run is, without its result.
    """

    def __init__(
        self, found: UnmaskedRecord, make_exporter: Callable[[], Awaitable[RecordingExporter]]
    ) -> None:
        self._found, self._make_exporter = found, make_exporter
        self.version, self.summary = _make_version(found), replace(found.summary, result=None)

    async def timeline(self) -> Timeline:
        """Return the run as a timeline."""
        return make_timeline(await self._mask(), self._found.history)

    async def step(self, name: str) -> str | None:
        """Return a step whole, as JSON that people read; None if the run has no such step."""
        return format_step(await self._mask(), name)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all steps, in the order of their ends."""
        return tuple(self._found.recording.steps)

    async def _mask(self) -> Recording:
        exporter = await self._make_exporter()
        return read_recording(await exporter.export(self._found.recording))


def _make_version(found: UnmaskedRecord) -> str:
    summary, history = found.summary, found.history
    known = (
        summary.state.value,
        [each.key for each in summary.requests],
        None if history is None else (history.attempts, history.deaths),
        [*found.recording.steps],
    )
    return sha256(json.dumps(known).encode()).hexdigest()[:_VERSION_DIGITS]
