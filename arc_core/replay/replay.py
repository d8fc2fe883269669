"""The replay of recordings by the engine."""

import json
from collections import defaultdict, deque
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, TypeVar

from arc_core.agents.tools import HandoffTool
from arc_core.engine.journal.digests import DigestsByStore
from arc_core.engine.journal.records import ApprovalStep, ModelStep, ToolStep, Verdict
from arc_core.engine.journal.step_forms import ASKED, CALLED, RecordForm
from arc_core.engine.kept_results import ReadResultTool
from arc_core.engine.run.executor import ReActAgentExecutor
from arc_core.engine.run_state import ActiveRun
from arc_core.engine.tool_calls.call_state import CallState
from arc_core.engine.turns.pipeline import Pipeline
from arc_core.errors import FormError
from arc_core.interfaces.tools.tool import Tool
from arc_core.recordings.masking import RecordingMasks
from arc_core.replay.differences import ReplayOutcome, ReplayVerdict
from arc_core.replay.part_comparison import EqualParts
from arc_core.replay.replay_recorder import ReplayRecorder
from arc_core.replay.replayed_run import ReplayedRun
from arc_core.replay.silent_components import RecordedTool, SilentComponents
from arc_core.result import AgentResult
from arc_core.runs.journal import LAYOUT, Place, Recording, RunSuspended, StepWork

T = TypeVar("T")

_MAX_SHOWN_CHARS = 200


class LiveRecorder(ReplayRecorder):
    """Lets the engine ask the model, and gives it the recorded results of equal calls."""

    finds_again = False  # calls have other numbers than in the record

    def __init__(
        self, run: ActiveRun, replayed: ReplayedRun, pipeline: Pipeline, *, prefix: str = ""
    ) -> None:
        super().__init__(run, replayed, pipeline, prefix=prefix)
        self._results: defaultdict[tuple[str, str], deque[ToolStep]] = defaultdict(deque)
        for call, step in self._list_calls():
            self._results[call].append(step)

    async def step(
        self, key: str, work: StepWork[T], form: RecordForm[Any], *, place: Place | None = None
    ) -> T:
        """Take the begin of the run and results of tools from the record, and do all the rest."""
        kind = key.partition("/")[0]
        if kind in {"begin", "enter"}:
            return await super().step(key, work, form, place=place)
        if kind == "approve":
            return ApprovalStep(verdict=Verdict.RUN)  # type: ignore[return-value]
        if kind == "tool" and form.restore is not None:
            call = self._calls[int(key.split("/")[1])]
            if not _is_of_engine(call.tool) and call.allowed:
                given: T = await form.restore(self._find_result(call))
                return given
        return await work()

    async def _compare_admission(self, entered: Any) -> None:
        """Leave the guards out: the prompt is the recorded one."""

    def _find_result(self, call: CallState) -> ToolStep:
        """Return what the record has of an equal call; of several the next one.

        Raises:
            RunSuspended: It has none.
        """
        name, arguments = call.call.name, call.call.arguments
        found = self._results.get((name, _normalize(arguments)))
        if not found:
            text = f"{name}({arguments})"
            cut = text if len(text) <= _MAX_SHOWN_CHARS else f"{text[:_MAX_SHOWN_CHARS]}…"
            self._replayed.unrecorded = self._replayed.unrecorded or cut
            raise RunSuspended
        step = found.popleft() if len(found) > 1 else found[0]
        return replace(step, result=replace(step.result, call_id=call.call.id))

    def _list_calls(self) -> Iterator[tuple[tuple[str, str], ToolStep]]:
        """Yield the recorded calls of the run, in their order, with what they gave."""
        turn, number = 1, 0
        while (asked := self._read(f"model/{turn}", ASKED)) is not None:
            if not isinstance(asked.value, ModelStep):
                return
            for call in asked.value.response.message.tool_calls:
                called = self._read(f"tool/{number}", CALLED)
                if called is not None and isinstance(called.value, ToolStep):
                    yield (call.name, _normalize(call.arguments)), called.value
                number += 1
            turn += 1

    def _compare_end(self, result: AgentResult) -> None:
        """Keep what the model has answered."""
        self._replayed.result = result


def _is_of_engine(tool: Tool | None) -> bool:
    """Return whether a call stays within the engine, so that it is made."""
    is_handoff = isinstance(tool, HandoffTool) and tool.function is None
    return tool is None or is_handoff or isinstance(tool, ReadResultTool)


def _normalize(arguments: str) -> str:
    """Return arguments so that equal ones are written alike."""
    try:
        return json.dumps(json.loads(arguments or "{}"), sort_keys=True)
    except (ValueError, RecursionError):
        return arguments


class _ReplayEngine(ReActAgentExecutor):
    """The engine, which follows recordings."""

    async def follow(self, replayed: ReplayedRun, *, is_live: bool) -> None:
        """Run what a recording has, to its end or to the first difference."""
        recording = replayed.recording
        run = ActiveRun.of(
            self._profiles.accept(recording.command),
            scopes=self._scopes,
            deps=replayed.deps,
            run_id=recording.run_id,
        )
        run.streams_documents = True
        recorder = LiveRecorder if is_live else ReplayRecorder
        recorder(run, replayed, self._pipeline).begin()
        await self._start_run(run)


class Replay:
    """Replays recordings with the wiring of an engine, one after the other.

    No tool is called, no model is asked and no server; no hook, metric, budget, session or cache
    gets to know of it. Guards that are not pure, retrieval and history are taken from the record.

    Args:
        engine: The one of the application; it need not be started.
        masks: Those of the exports, since today's texts are not masked; None if none were.
        make_deps: Makes those of each run, of which its recording has none; None hands none over.
        live: Whether the model is asked again at each turn; then its plugin has to be started.
    """

    def __init__(
        self,
        engine: ReActAgentExecutor,
        *,
        masks: RecordingMasks | None = None,
        make_deps: Callable[[Recording], Awaitable[object]] | None = None,
        live: bool = False,
    ) -> None:
        self._is_live = live
        self._components = SilentComponents.of(engine.components)
        self._settings, self._make_deps = engine.settings, make_deps
        self._engine = _ReplayEngine(components=self._components.all, settings=engine.settings)
        self._digests = DigestsByStore(engine.components.wiring)
        self._equal = EqualParts(None if masks is None else masks.mask_json)
        self._is_part = lru_cache(maxsize=1000)(_is_part)
        self._read_tools = lru_cache(maxsize=256)(_read_tools)

    async def replay(self, recording: Recording) -> ReplayOutcome:
        """Return the outcome of the replay of one recording.

        Raises:
            FormError: A step of it is none that Arc has written, or it was edited.
        """
        digests = self._digests.find(recording.digest_key)
        if recording.layout != LAYOUT or digests is None:
            return ReplayOutcome(run_id=recording.run_id, verdict=ReplayVerdict.NOTHING_TO_COMPARE)
        if "enter" not in recording.steps:
            note = "it has ended before the model was asked"
            return ReplayOutcome(
                run_id=recording.run_id, verdict=ReplayVerdict.NOTHING_TO_COMPARE, notes=(note,)
            )
        self._check_parts(recording)
        replayed = ReplayedRun(
            recording,
            digests=digests,
            components=self._components,
            equal=self._equal,
            forwards_prompt=self._settings.guard.forward_normalized,
            deps=None if self._make_deps is None else await self._make_deps(recording),
        )
        if self._components.sources:
            texts = (text for text in recording.parts.values() if '"parameters"' in text)
            tools = self._read_tools(tuple(texts))
            for source in self._components.sources:
                source.take(tools)
        await self._engine.follow(replayed, is_live=self._is_live)
        if replayed.flaw is not None:
            raise replayed.flaw
        return _make_outcome(replayed, is_live=self._is_live)

    def _check_parts(self, recording: Recording) -> None:
        """See that parts have the shape in which Arc writes them; the same ones come again."""
        for digest, text in recording.parts.items():
            if not self._is_part(text):
                place = f"run {recording.run_id}, $.parts[{digest!r}]"
                raise FormError("it was edited", place=place, remedy="export the run again")


_OF_TOOL = ("name", "package", "description")
_OF_COMPONENT = ("place", "name", "type", "package", "version")


def _is_part(text: str) -> bool:
    """Return whether JSON is a text, options, a message, a tool, or a list of what has names."""
    value = json.loads(text)
    if isinstance(value, list):
        return all(isinstance(each, dict) and _has_names(each) for each in value)
    if not isinstance(value, dict) or "parameters" not in value:
        return isinstance(value, str | dict)
    return isinstance(value["parameters"], dict) and _has_texts(value, _OF_TOOL)


def _has_names(entry: dict[str, object]) -> bool:
    keys = _OF_COMPONENT if "place" in entry else ("name", "package", "digest")
    return _has_texts(entry, keys)


def _has_texts(entry: dict[str, object], keys: Sequence[str]) -> bool:
    return all(isinstance(entry.get(key), str) for key in keys)


def _read_tools(texts: tuple[str, ...]) -> tuple[RecordedTool, ...]:
    """Return the tools of servers among the texts of parts."""
    found = [value for text in texts if isinstance(value := json.loads(text), dict)]
    return tuple(
        RecordedTool(
            name=each["name"],
            description=each["description"],
            parameters=each["parameters"],
            qualified_name=f"{each['package']}/{each['name']}",
        )
        for each in found
        if each.keys() == {"name", "package", "description", "parameters"} and each["package"]
    )


def _make_outcome(replayed: ReplayedRun, *, is_live: bool) -> ReplayOutcome:
    run_id, notes = replayed.recording.run_id, (*replayed.wiring.notes, *replayed.notes)
    if not is_live:
        difference, turns = replayed.difference, replayed.turns
        verdict = ReplayVerdict.SAME if difference is None else ReplayVerdict.DIFFERENT
        return ReplayOutcome(
            run_id=run_id, verdict=verdict, difference=difference, notes=notes, turns=turns
        )
    result, verdict = replayed.result, ReplayVerdict.ANSWERED
    if replayed.unrecorded:
        verdict = ReplayVerdict.UNRECORDED
    elif not result.success:
        verdict = ReplayVerdict.FAILED
    answer = replayed.unrecorded or result.content or result.error_message
    return ReplayOutcome(run_id=run_id, verdict=verdict, notes=notes, answer=answer)
