"""The record of one attempt at a run."""

from collections.abc import Mapping
from typing import Any, TypeVar

from arc_core import (
    Decision,
    Form,
    NumberedEvent,
    Place,
    Request,
    RunFinished,
    RunJournal,
    RunSuspended,
    StepWork,
)
from arc_core.forms import from_json, to_json
from ledger_arc.deps import read_deps
from ledger_arc.ledger import Ledger

__all__ = ["LedgerJournal"]

T = TypeVar("T")

_IF_MINE = """WHERE EXISTS (
    SELECT 1 FROM runs WHERE run_id = :run_id AND life = :life AND state = 'running'
)"""


class LedgerJournal(RunJournal):
    """Writes while the attempt has its run, and no longer: each insertion looks at that.

    Args:
        ledger: Where it writes.
        run: The row of the run, as the attempt has taken it.
        last_seqs: The highest number of the events that earlier attempts have told, by run: of
            this one and of those below it.
    """

    def __init__(self, ledger: Ledger, run: Any, *, last_seqs: Mapping[str, int]) -> None:
        self._ledger, self._number = ledger, run["life"]
        self.run_id, self.attempt_id = run["run_id"], str(run["life"])
        self.deps: Any = read_deps(run["deps"])
        self.last_seq, self._last_seqs = last_seqs.get(self.run_id, 0), last_seqs
        self.is_closing, self.is_cancelled = False, bool(run["is_cancelled"])

    async def _write(self, insertion: str, **values: object) -> bool:
        mine = {"run_id": self.run_id, "life": self._number}
        return bool(await self._ledger.do(f"{insertion} {_IF_MINE} RETURNING 1", **mine, **values))

    async def get_last_seq(self, run_id: str) -> int:
        """What earlier attempts have told of it."""
        return self._last_seqs.get(run_id, 0)

    async def step(
        self, key: str, work: StepWork[T], *, form: Form[T], place: Place | None = None
    ) -> T:
        """What is recorded, else what the work gives.

        Raises:
            RunSuspended: The run is not to go on in this attempt.
        """
        del place
        find = "SELECT value FROM steps WHERE run_id = :run_id AND key = :key"
        for row in await self._ledger.do(find, run_id=self.run_id, key=key):
            return form.read(row["value"])
        if self.is_closing:
            raise RunSuspended
        value = await work()
        insertion = "INSERT INTO steps SELECT :run_id, :key, :value"
        if not await self._write(insertion, key=key, value=form.write(value)):
            raise RunSuspended
        return value

    async def decision(self, key: str, request: Request) -> Decision:
        """What a person has decided.

        Raises:
            RunSuspended: It is not decided yet.
        """
        await self._write(
            "INSERT OR IGNORE INTO requests SELECT :run_id, :key, :request, :until, NULL, NULL",
            key=key,
            request=to_json(request),
            until=None if request.until is None else request.until.timestamp(),
        )
        find = "SELECT * FROM requests WHERE run_id = :run_id AND key = :key"
        for row in await self._ledger.do(find, run_id=self.run_id, key=key):
            if row["decision"] is not None:
                return from_json(row["decision"], Decision)
            raise RunSuspended((from_json(row["request"], Request),))
        raise RunSuspended

    async def publish(self, event: NumberedEvent) -> None:
        """Write an event at once."""
        is_own = event.run_id == self.run_id
        await self._write(
            "INSERT INTO events SELECT NULL, :run_id, :teller, :seq, :is_end, :event",
            teller=event.run_id,
            seq=event.seq,
            is_end=is_own and isinstance(event, RunFinished),
            event=to_json(event),
        )
