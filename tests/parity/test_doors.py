"""Whichever door a person answers by, the same is kept of it, and the tool gets the same."""

import json
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest

from arc_core import Owner
from tests.parity.doors import KINDS, Door, Kind, World, doors_for

pytestmark = pytest.mark.slow

_OF_ITS_OWN = ("run_id", "since", "until", "at", "url")
"""Ids and times; the address of a login ends with its id."""


@dataclass(frozen=True)
class Kept:
    """What a store has of a request that was decided, and how its run has ended.

    Attributes:
        request: As JSON, without ids and times, as is the decision.
    """

    request: str
    decision: str
    decided_by: str
    content: str | None


async def answer_by(door: Door, kind: Kind, world: World) -> Kept:
    """Answer by a door; return what is kept of the last request."""
    await door(world, kind)
    with closing(sqlite3.connect(world.file)) as connection:
        columns = "SELECT run_id, request, decision, decided_by FROM arc_approvals"
        row = connection.execute(f"{columns} ORDER BY since DESC LIMIT 1").fetchone()
    async with world.app.attach(row[0]) as run:
        result = await run.result()
    await world.app.credentials.remove(Owner(user_id="ann"))
    request, decision = (json.loads(each) for each in row[1:3])
    assert request.pop("arguments_hash") == decision.pop("arguments_hash")
    for each in (request, decision):
        for name in _OF_ITS_OWN:
            each.pop(name, None)
    return Kept(
        request=json.dumps(request, sort_keys=True),
        decision=json.dumps(decision, sort_keys=True),
        decided_by=row[3],
        content=result.content,
    )


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
async def test_an_answer_is_one_record_by_every_door(kind: Kind, tmp_path: Path) -> None:
    """The request, the answer, and who gave it; the run of each goes on with the same."""
    async with World(tmp_path) as world:
        kept = {name: await answer_by(door, kind, world) for name, door in doors_for(kind).items()}

    assert kept == dict.fromkeys(kept, kept["page"])
    assert len(kept) >= 4
    assert kept["page"].decided_by == "ann"
    assert (kept["page"].content or "").startswith("Then: ")
