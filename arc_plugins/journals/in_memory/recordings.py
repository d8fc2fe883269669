"""Records of runs in memory, of a store that is asked to keep them."""

import secrets
from collections.abc import Callable, Sequence

from arc_core import AgentCommand, Logger, RecordedPart, Recording, UnknownRunError
from arc_core.errors import FormError
from arc_core.runs.journal import LAYOUT


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
