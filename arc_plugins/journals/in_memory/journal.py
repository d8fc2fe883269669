"""Attempts at runs, whose steps leave what they gave in a dictionary, and the records of runs.

Of a store that is asked to keep records, these have what steps gave as JSON.
"""

import secrets
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeVar

from arc_core import (
    AgentCommand,
    AgentResult,
    Decision,
    Form,
    Logger,
    NumberedEvent,
    Place,
    RecordedPart,
    Recording,
    Request,
    RunJournal,
    RunSuspended,
    StepWork,
    UnknownRunError,
)
from arc_core.errors import FormError
from arc_core.runs.journal import LAYOUT
from arc_plugins.journals.in_memory.stored_run import StoredRun


class OpenRecording:
    """The record of a run, as it grows.

    Attributes:
        steps: The JSON of what steps have recorded, by their keys.
        parts: The texts that they name, by their digests.
    """

    def __init__(self, command: AgentCommand, recordings: "Recordings") -> None:
        self.command, self._recordings = command, recordings
        self.steps: dict[str, str] = {}
        self.parts: dict[str, str] = {}

    @property
    def digest_key(self) -> bytes:
        """The secret of the store."""
        return self._recordings.digest_key

    @property
    def size(self) -> int:
        """The number of characters that its steps have."""
        return sum(map(len, self.steps.values()))

    def add_step(self, key: str, write: Callable[[], str]) -> None:
        """Add a step; one that JSON cannot carry is left out, and a line in the log says so."""
        try:
            self.steps[key] = write()
        except FormError as error:
            self._recordings.logger.warning(
                "a step of a run is not recorded", key=key, problem=str(error)
            )
            return
        self._recordings.make_room(len(self.steps[key]))

    def add_parts(self, parts: Sequence[RecordedPart]) -> None:
        """Add what steps name; equal texts of several runs are one object."""
        for part in parts:
            self.parts[part.digest] = part.text
            self.add_parts(part.parts)


class Recordings:
    """The records of the last runs; the oldest go first.

    Args:
        logger: Told of steps that cannot be recorded.
        max_chars: Of the steps of all runs together; the newest run stays.

    Attributes:
        digest_key: The secret of this store, for digests of what models are asked.
    """

    def __init__(self, *, logger: Logger, max_chars: int) -> None:
        self.logger, self._max_chars = logger, max_chars
        self.digest_key = secrets.token_bytes(32)
        self._by_run: dict[str, OpenRecording] = {}
        self._chars = 0

    def open(self, run_id: str, command: AgentCommand) -> OpenRecording:
        """The record of a run, which begins or goes on."""
        return self._by_run.setdefault(run_id, OpenRecording(command, self))

    def fork(self, run_id: str, command: AgentCommand, found: Recording) -> None:
        """Begin the record of a run with what another one has recorded."""
        recording = self.open(run_id, command)
        recording.steps |= found.steps
        recording.parts |= found.parts
        self.make_room(recording.size)

    def find(self, run_id: str) -> Recording:
        """Return the record of a run, as far as it is, unless it had to make room."""
        found = self._by_run.get(run_id)
        if found is None:
            raise UnknownRunError(run_id)
        return Recording(
            run_id=run_id,
            command=found.command,
            layout=LAYOUT,
            steps=dict(found.steps),
            parts=dict(found.parts),
            digest_key=self.digest_key,
        )

    def remove(self, run_id: str) -> None:
        """Forget the record of a run."""
        if (removed := self._by_run.pop(run_id, None)) is not None:
            self._chars -= removed.size

    def make_room(self, chars: int) -> None:
        """Count characters that were added, and forget the oldest runs if there are too many."""
        self._chars += chars
        while self._chars > self._max_chars and len(self._by_run) > 1:
            self.remove(next(iter(self._by_run)))


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
