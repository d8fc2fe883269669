"""The record of one attempt at a run: what its steps gave stays in a dictionary, as it is."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeVar

from arc_core import (
    AgentResult,
    Decision,
    Form,
    NumberedEvent,
    Place,
    RecordedPart,
    Request,
    RunJournal,
    RunSuspended,
    StepWork,
)
from arc_plugins.journals.in_memory.recordings import OpenRecording
from arc_plugins.journals.in_memory.stored_run import StoredRun

T = TypeVar("T")


class InMemoryRunJournal(RunJournal):
    """Passes through, and remembers.

    Args:
        run: What the attempts at it share.
        keep: Called when a person is asked for the first time under a key.
        look_after: Called when a step has ended of a run that has asked.
        recording: Gets what steps have given; None if the store does not record.
    """

    def __init__(
        self,
        run: StoredRun,
        *,
        keep: Callable[[StoredRun, str], None],
        look_after: Callable[[StoredRun], None],
        recording: OpenRecording | None,
    ) -> None:
        run.lives += 1
        self.run_id = run.run_id
        self.attempt_id = str(run.lives)
        self.deps: Any = run.deps
        self.last_seq = run.last_seq if run.events else 0
        self.is_closing, self.is_cancelled = False, run.is_cancelled
        self._last_seqs = {event.run_id: event.seq for event in run.events}
        self._recording = recording
        self.digest_key = b"" if recording is None else recording.digest_key
        self._run, self._number = run, run.lives
        self._keep, self._look_after = keep, look_after

    async def get_last_seq(self, run_id: str) -> int:
        """Return the last `seq` that the attempts before have published of it."""
        return self._last_seqs.get(run_id, 0)

    async def step(
        self, key: str, work: StepWork[T], *, form: Form[T], place: Place | None = None
    ) -> T:
        """The value that is kept, else what the work gives. Places are not needed."""
        run = self._run
        steps: dict[str, T] = run.steps
        if key not in steps and key in run.recorded:
            steps[key] = form.read(run.recorded[key])
        if key in steps:
            return steps[key]
        if self.is_closing:
            raise RunSuspended
        run.working += 1
        try:
            value = steps[key] = await work()
            if self._recording is not None:
                self._recording.add_step(key, partial(form.write, value))
        finally:
            run.working -= 1
            if run.requests:
                self._look_after(run)
        return value

    async def decision(self, key: str, request: Request) -> Decision:
        """Return the decision; the first request under a key stays."""
        run = self._run
        if key in run.decisions:
            return run.decisions[key]
        if self.is_closing:
            raise RunSuspended
        if key not in run.requests:
            run.requests[key], run.journal = request, self
            self._keep(run, key)
        raise RunSuspended((run.requests[key],))

    def keep_parts(self, parts: Sequence[RecordedPart]) -> None:
        """Keep them with the record of the run, if there is one."""
        if self._recording is not None:
            self._recording.add_parts(parts)

    def keep_so_far(self, result: AgentResult) -> None:
        """Keep what the run has when it begins to wait."""
        self._run.so_far = result

    async def publish(self, event: NumberedEvent) -> None:
        """Keep an event at once, unless another attempt has the run; then wait for its readers."""
        run = self._run
        if run.lives == self._number:
            run.publish(event)
            if run.is_paced and run.pace.is_far(len(run.events)):
                await run.pace.wait(len(run.events))
