"""The recorder of a run that is replayed: its steps come from the record, and are compared."""

from collections.abc import Awaitable, Callable, Coroutine, Sequence
from datetime import UTC, datetime
from typing import Any, NoReturn, TypeVar
from uuid import NAMESPACE_OID, uuid5

from arc_core.agents.tools import AgentTool
from arc_core.command import AgentCommand
from arc_core.engine.answers.schema_checks import find_argument_problems
from arc_core.engine.journal.digests import RequestDigests
from arc_core.engine.journal.metadata import RunMetadata
from arc_core.engine.journal.recorder import RecordedCall, RunRecorder, Settled
from arc_core.engine.journal.records import (
    AgentStep,
    ApprovalStep,
    CompactionStep,
    EntryStep,
    ModelStep,
    Record,
    RequestPart,
    RequestParts,
    StopStep,
    ToolStep,
    Verdict,
)
from arc_core.engine.journal.step_forms import CALLED, COMPACTED, FINISHED, JUDGED, RecordForm
from arc_core.engine.run.run_steps import list_changes
from arc_core.engine.run_state import ActiveRun, RunStoppedError
from arc_core.engine.tool_calls.call_state import CallState
from arc_core.engine.turns.pipeline import Pipeline
from arc_core.engine.turns.turn_loop import Prepared
from arc_core.error_base import AgentErrorCode
from arc_core.events import AgentEvent
from arc_core.interfaces.models.chat_model import ChatRequest
from arc_core.messages import ToolOutcome
from arc_core.replay.part_comparison import ModelRequest, diff_texts
from arc_core.replay.replayed_run import ReplayedRun
from arc_core.requests import Approve, Decision, Deny, Request
from arc_core.result import AgentResult
from arc_core.runs.journal import Place, RunSuspended, StepWork

T = TypeVar("T")

_NOW = {
    Verdict.RUN: "is made at once",
    Verdict.ASK: "waits for a person",
    Verdict.DENY: "is denied",
}
_THEN = {
    Verdict.RUN: "was made at once",
    Verdict.ASK: "waited for a person",
    Verdict.DENY: "was denied",
}
_FROM_OUTSIDE = (AgentErrorCode.OUTPUT_REJECTED, AgentErrorCode.TIMEOUT, AgentErrorCode.CANCELLED)
"""The ends of runs by output guards, by the clock and by callers."""


class ReplayRecorder(RunRecorder):
    """Takes the steps of a run from its record, up to the first difference.

    The keys of a run that another one has started begin with a prefix, as `tool/3/`.
    """

    is_replaying = True
    finds_again = True

    def __init__(
        self, run: ActiveRun, replayed: ReplayedRun, pipeline: Pipeline, *, prefix: str = ""
    ) -> None:
        self._run, self._replayed, self._pipeline, self.prefix = run, replayed, pipeline, prefix
        metadata = run.metadata
        self._metadata = metadata if isinstance(metadata, RunMetadata) else RunMetadata(metadata)
        self._requests = RequestDigests(replayed.digests)
        self._recorded: list[RequestPart] = []
        self._asked: ModelRequest | None = None
        self._calls: dict[int, CallState] = {}
        self._judged: set[int] = set()

    def begin(self) -> None:
        """Take the steps of the run from now on."""
        self._run.record(self, self._metadata)

    def goes_on_after(self, end: BaseException) -> bool:
        """Return True if the replay has ended the run; see `RunRecorder`."""
        if isinstance(end, RunSuspended) and end.problem:
            self._replayed.find(self._turn, "run", end.problem, place=self.prefix)
        return isinstance(end, RunSuspended)

    async def step(
        self, key: str, work: StepWork[T], form: RecordForm[Any], *, place: Place | None = None
    ) -> T:
        """Return what is recorded of a step, once it is compared; see `RunRecorder.step`."""
        kind, recorded = key.partition("/")[0], self._read(key, form)
        if recorded is None:
            return await self._go_past(key, kind, work)
        self._metadata.restore(list_changes([recorded]))
        value: Any = recorded.value
        if isinstance(value, StopStep):
            await self._stop(kind, value)
        match kind:
            case "enter":
                await self._compare_admission(value)
            case "approve":
                return await self._judge(key, value, work)
            case "tool":
                return await self._call(key, value, work, restore=form.restore)
            case "compact" if value.turn != self._run.answers_asked + 1:
                self._differ("window", "room is made in another turn than then")
        given: Any = value if form.restore is None else await form.restore(value)
        if kind in {"enter", "hand_over"}:
            given = await self._prepare(given)
        elif isinstance(value, ModelStep) and form.pack is not None:
            await self._compare_request(value, form.pack(given))
        return given  # type: ignore[no-any-return]  # what the work would give

    def _read(self, key: str, form: RecordForm[Any]) -> Record[Any] | None:
        return self._replayed.read(self.prefix + key, form)

    @property
    def _turn(self) -> int:
        return max(1, self._run.answers_asked)

    def _differ(self, part: str, problem: str, **facts: str) -> None:
        """End the replay with the first difference.

        Raises:
            RunSuspended: Always.
        """
        self._replayed.find(self._turn, part, problem, place=self.prefix, **facts)
        raise RunSuspended

    # What is not recorded

    async def _go_past(self, key: str, kind: str, work: Callable[[], Awaitable[T]]) -> T:
        """Go on where the record has nothing.

        Raises:
            RunSuspended: The record has ended, or the run has taken another way.
        """
        if kind == "approve":
            judged: Any = await work()
            if judged.verdict is not Verdict.RUN and self._has(key.replace(kind, "tool", 1)):
                self._differ_in_verdict(key, Verdict.RUN, judged.verdict)
            return judged  # type: ignore[no-any-return]
        if kind == "begin":
            return AgentStep(agent=self._run.agent)  # type: ignore[return-value]
        if kind == "answer":
            return await work()
        if kind == "model" and self._has_succeeded():
            self._differ("run", "the model would be asked once more")
        if kind == "compact" and self._has(f"model/{self._run.answers_asked + 1}"):
            self._run.answers_asked += 1
            self._differ("window", "the conversation does not fit any more, and room is made in it")
        if kind == "tool" and self._has(f"model/{self._turn + 1}"):
            self._replayed.refuse(self.prefix + key, "the recording has lost this step")
        raise RunSuspended

    def _has(self, key: str) -> bool:
        return self.prefix + key in self._replayed.recording.steps

    def _has_succeeded(self) -> bool:
        finished = self._read("finish", FINISHED)
        return finished is not None and bool(getattr(finished.value, "success", False))

    async def _stop(self, kind: str, stop: StopStep) -> NoReturn:
        """End the run as it has ended, if a guard that is asked again still rejects it.

        Raises:
            RunStoppedError: Always.
        """
        is_pure = self._replayed.compares_guards()
        if kind == "enter" and stop.code is AgentErrorCode.GUARD_REJECTED and is_pure:
            try:
                await self._pipeline.ask_guards(self._run)
            except RunStoppedError:
                pass
            else:
                self._differ_in_guards("the prompt is let in, and was rejected")
        raise RunStoppedError(stop.code, stop.message, retry_after_s=stop.retry_after_s)

    # The begin of a run

    async def _compare_admission(self, entered: EntryStep) -> None:
        """Ask the guards again that are pure."""
        if not self._replayed.compares_guards():
            return
        try:
            admitted = await self._pipeline.ask_guards(self._run)
        except RunStoppedError:
            self._differ_in_guards("the prompt is rejected, and was let in")
            return
        if self._replayed.forwards_prompt and admitted.prompt != entered.prompt:
            diff = diff_texts(entered.prompt, admitted.prompt)
            self._differ_in_guards("it makes another text of the prompt", diff=diff)

    def _differ_in_guards(self, problem: str, *, diff: str = "") -> None:
        """End the replay with a difference of the guard that has changed, if one has."""
        wiring = self._replayed.wiring
        guard = wiring.pure_guard or next(iter(wiring.guards), {})
        name, package = (str(guard.get(key, "")) for key in ("name", "package"))
        self._differ("guard", problem, name=name, package=package, diff=diff)

    async def _prepare(self, prepared: Prepared) -> Prepared:
        """Write the system prompt and select the tools anew."""
        run = self._run
        self._replayed.session.offered = tuple(tool.name for tool in prepared.tools)
        try:
            return await self._pipeline.prepare_again(run, prepared)
        except RunStoppedError as stopped:
            if self._replayed.deps is None and run.command.tool_choice in {None, "auto"}:
                self._replayed.notes[
                    f"the agent `{run.agent}` cannot be prepared without deps; its system prompt "
                    "and its tools are those of the recording"
                ] = None
                return prepared
            self._differ("run", stopped.message or "it is refused before its first turn")
            raise

    # A question to the model

    def name_request(
        self, request: ChatRequest, *, history: int, encode: Callable[[ChatRequest], bytes]
    ) -> RequestParts:
        """Return the parts of what the model would be asked."""
        named, _ = self._requests.name(request, history=history, encode=encode)
        self._asked = ModelRequest(
            turn=self._turn,
            place=self.prefix,
            agent=self._run.agent,
            request=request,
            history=history,
            named=named,
            parts=self._requests.parts,
        )
        return named

    async def _compare_request(self, recorded: ModelStep, _: Any) -> None:
        request, run = recorded.request, self._run
        following = self._read(f"compact/{run.compactions + 1}", COMPACTED)
        room = None if following is None else following.value
        if isinstance(room, CompactionStep) and room.turn <= run.answers_asked:
            self._differ("window", "the conversation fits, and room was made in it")
        if request is None or self._asked is None:
            return
        self._recorded[request.kept :] = request.parts
        self._replayed.turns += 1
        comparison = self._replayed.comparison
        difference = await comparison.find_difference(self._asked, request, self._recorded)
        if difference is not None:
            self._replayed.difference = self._replayed.difference or difference
            raise RunSuspended

    # Calls of tools

    async def begin_turn(self, calls: Sequence[RecordedCall], may_ask: Callable[[], bool]) -> None:
        """Remember the calls of a turn."""
        self._calls.update({each.index: each for each in calls if isinstance(each, CallState)})

    async def _judge(self, key: str, recorded: ApprovalStep, work: Callable[[], Awaitable[T]]) -> T:
        judged: Any = await work()
        self._judged.add(int(key.split("/")[1]))
        if judged.verdict is not recorded.verdict:
            self._differ_in_verdict(key, recorded.verdict, judged.verdict)
        if recorded.verdict is Verdict.ASK and not recorded.since:
            self._replayed.refuse(self.prefix + key, "it does not say since when a person is asked")
            raise RunSuspended
        return recorded  # type: ignore[return-value]

    def _differ_in_verdict(self, key: str, before: Verdict, now: Verdict) -> None:
        name, package = self._name_tool(self._calls.get(int(key.split("/")[1])))
        problem = f"its call {_NOW[now]}, and {_THEN[before]} then"
        self._differ("approval of tool", problem, name=name, package=package)

    def _name_tool(self, call: CallState | None) -> tuple[str, str]:
        if call is None:
            return "", ""
        tool = call.tool
        return call.call.name, "" if tool is None else self._replayed.digests.name_package(tool)

    async def settle(self, judge: Callable[[], Awaitable[Settled]]) -> Settled:
        """Decide about a call; see `RunRecorder`."""
        return await judge()

    def get_shared_key(self, key: str) -> str:
        """Return a key of this run's own; see `RunRecorder`."""
        return f"{key}/{self._run.run_id}"

    async def await_decision(self, key: str, request: Request) -> Decision:
        """Return a decision by which the recorded result may come.

        Raises:
            RunSuspended: There was no decision.
        """
        tool_key = key.removeprefix(self.prefix).replace("approve", "tool", 1)
        recorded = self._read("/".join(tool_key.split("/")[:2]), CALLED)
        if recorded is None:
            raise RunSuspended
        result = getattr(recorded.value, "result", None)
        is_denied = result is not None and result.outcome is ToolOutcome.DENIED
        answer = Deny() if is_denied else Approve()
        return Decision(answer=answer, by="replay", at=datetime.now(UTC))

    async def _call(
        self,
        key: str,
        recorded: ToolStep,
        work: Callable[[], Awaitable[T]],
        *,
        restore: Callable[[Any], Awaitable[T]] | None,
    ) -> T:
        """Give the recorded result of a call, if it can still be made."""
        call = self._calls[int(key.split("/")[1])]
        judged = self._read(f"approve/{call.index}", JUDGED)
        verdict = getattr(None if judged is None else judged.value, "verdict", Verdict.RUN)
        if verdict is not Verdict.RUN and call.index not in self._judged:
            self._differ_in_verdict(key, verdict, Verdict.RUN)
        await self._check_call(call, recorded)
        if self._goes_below(call):
            await work()
            call.result, call.hidden = recorded.result, recorded.hidden
            return None  # type: ignore[return-value]  # as the work of a call
        assert restore is not None
        return await restore(recorded)

    def _goes_below(self, call: CallState) -> bool:
        tool = call.tool
        is_delegated = isinstance(tool, AgentTool) and tool.function is None
        return is_delegated and self._has(f"tool/{call.index}/enter")

    async def _check_call(self, call: CallState, recorded: ToolStep) -> None:
        name, package = self._name_tool(call)
        was_over = recorded.result.outcome is ToolOutcome.LIMIT_REACHED
        if call.allowed == was_over and not isinstance(call.tool, AgentTool):
            where = "within the limit" if was_over else "over the limit of calls"
            problem = f"its call is {where}, and was not"
            self._differ("tool", problem, name=name, package=package)
        if recorded.found and call.tool is None:
            self._differ("tool", "it was called, and is not there any more", name=name)
        if call.tool is None or recorded.result.outcome is not ToolOutcome.SUCCESS:
            return
        offered = () if self._asked is None else self._asked.request.tools
        if call.tool in offered:  # with the same parameters as then
            return
        problems = await find_argument_problems(call.tool, call.call.arguments)
        if problems:
            problem = f"its recorded arguments do not fit any more: {'; '.join(problems)}"
            self._differ("tool", problem, name=name, package=package)

    # The rest of `RunRecorder`

    async def find(self, key: str, form: RecordForm[Any]) -> object | None:
        """Return what a step gave; of compactions none, since each is made when it is needed."""
        recorded = None if form is COMPACTED else self._read(key, form)
        return None if recorded is None else recorded.value

    async def find_again(self, key: str, form: RecordForm[Any]) -> object | None:
        """Return what a step gave."""
        return await self.find(key, form)

    def place_below(
        self, command: AgentCommand, step: str, call_index: int | None
    ) -> tuple[str, str | None]:
        """Return the place of a run that this one starts, and its id, as when it was recorded."""
        if call_index is None:
            return step, None
        return step, str(uuid5(NAMESPACE_OID, f"{self._run.run_id}/{call_index}"))

    def add_below(self, below: ActiveRun, step: str, place: str) -> None:
        """Replay a run that this one has started."""
        prefix = f"{self.prefix}{place}/"
        type(self)(below, self._replayed, self._pipeline, prefix=prefix).begin()

    async def finish(
        self,
        result: AgentResult,
        work: Callable[[], Coroutine[Any, Any, AgentResult]],
        leave: Callable[[], Awaitable[None]],
    ) -> AgentResult:
        """Close what lives as long as the run; hooks, metrics and history are left out."""
        await leave()
        self._compare_end(result)
        return result

    def _compare_end(self, result: AgentResult) -> None:
        recorded = self._read("finish", FINISHED)
        replayed = self._replayed
        if recorded is None or not isinstance(recorded.value, AgentResult):
            return
        if self._has(f"model/{self._run.answers_asked + 1}"):
            problem = f"the run ends before turn {self._run.answers_asked + 1}, which it had"
            replayed.find(self._turn, "run", problem, place=self.prefix)
            return
        was, now = recorded.value.error_code, result.error_code
        if was is not now and not (now is None and self._is_from_outside(was)):
            problem = f"it ends with {now or 'success'}, and ended with {was or 'success'}"
            replayed.find(self._turn, "run", problem, place=self.prefix)

    def _is_from_outside(self, code: AgentErrorCode | None) -> bool:
        """Return whether a run may have ended so by what a replay does not ask again."""
        if code is AgentErrorCode.INVALID_RESPONSE:
            return self._replayed.wiring.may_have_had("response_filters")
        return code in _FROM_OUTSIDE

    async def tell_end(
        self, result: AgentResult, emit: Callable[[AgentEvent], Awaitable[None]]
    ) -> None:
        """Leave it out: a replay has no readers."""
