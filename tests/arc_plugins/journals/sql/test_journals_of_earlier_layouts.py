"""Databases of each layout, as a version of Arc has left them.

`layouts/arc_*.sql` are dumps of what runs of `layouts/shop.py` left behind: some have ended, one
has failed, some wait, some are queued, and of one the process was killed while a tool worked. A
dump is made by the version that had the layout (`layouts/write_dumps.py`), and never again.
"""

import os
import socket
import sqlite3
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

pytest.importorskip("croniter", reason="needs the extra durable")

from arc_autoconfig import Application
from arc_core import AgentResult, Approve, ForkError, RunState, ToolResultMessage, UserMessage
from arc_core.recordings import make_timeline
from arc_core.testing.conformance.run_journal.rules import end_of, until
from arc_plugins.journals.sql.tables import LAYOUT, LAYOUTS
from tests.arc_plugins.journals.sql.databases import database_at
from tests.arc_plugins.journals.sql.layouts.shop import open_shop

pytestmark = pytest.mark.slow

FOLDER = Path(__file__).with_name("layouts")
FINISHED = {
    "finished-plain": None,
    "finished-parallel": None,
    "finished-delegate": None,
    "finished-paid": None,
    "denied": None,
    "failed": "UNAVAILABLE",
    "cancelled": "CANCELLED",
}
UNFINISHED = {
    "waiting": "pay",
    "waiting-below": "delegate and pay",
    "decided": "pay",
    "running": "dig",
    "queued-carried": "parallel",
    "queued-delegate": "delegate",
    "queued-new": "pay",
}
"""The prompts, by the runs."""

ALL_DAYS = 100_000


@pytest.fixture(params=LAYOUTS)
def layout(request: pytest.FixtureRequest) -> str:
    """Each layout that this version reads."""
    name: str = request.param
    return name


def read_dump(layout: str, database: str) -> str:
    """The statements that make a database of a layout."""
    return (FOLDER / f"{layout.replace('-', '_')}.{database}.sql").read_text("utf-8")


@pytest.fixture
def sqlite_left(layout: str, tmp_path: Path) -> str:
    """A file with the runs."""
    file = tmp_path / "runs.db"
    with closing(sqlite3.connect(file)) as connection:
        connection.executescript(read_dump(layout, "sqlite"))
    return f"sqlite:///{file}"


@pytest.fixture
def postgres_left(layout: str, postgres: str) -> Iterator[str]:
    """A PostgreSQL with the runs, a database of its own, since the dump names the schemas."""
    with database_at(postgres) as address:
        with psycopg.connect(address, autocommit=True) as connection:
            connection.execute(read_dump(layout, "postgres").encode())
        yield address


@pytest.fixture(params=["sqlite_left", "postgres_left"])
def left(request: pytest.FixtureRequest, layout: str) -> str:
    """The address of either."""
    del layout  # which pytest has to know before it asks for the others
    url: str = request.getfixturevalue(request.param)
    return url


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """Where models and tools note that they were asked."""
    return tmp_path / "log"


@pytest.fixture
async def shop(left: str, log: Path) -> AsyncIterator[Application]:
    """The application on the runs, open."""
    async with open_shop(left, log=log, keep_days=ALL_DAYS) as app:
        yield app


async def finish_all(shop: Application) -> dict[str, AgentResult]:
    """Approve whatever waits, until all runs have ended."""
    journals, ended = shop.container.run_journals(), dict[str, AgentResult]()

    async def have_ended() -> bool:
        for request in await shop.waiting():
            await shop.decide(request.run_id, request.key, Approve(), by="carol")
        open_runs = [each for each in UNFINISHED if each not in ended]
        for run_id in open_runs:
            if (await journals.find(run_id)).state is RunState.FINISHED:
                ended[run_id] = await end_of(journals, run_id)
        return len(ended) == len(UNFINISHED)

    await until(have_ended)
    return ended


def counts_in(log: Path) -> Counter[str]:
    """Return how often each thing was done."""
    return Counter(log.read_text("utf-8").splitlines())


async def test_runs_that_have_ended_are_shown(left: str, layout: str) -> None:
    """With their results, whose messages stand in steps, and with all their events."""
    async with open_shop(left, keep_days=ALL_DAYS, work=False) as shop:
        journals = shop.container.run_journals()
        results = {run_id: await end_of(journals, run_id) for run_id in FINISHED}
        layouts = {(await journals.find(run_id)).layout for run_id in FINISHED}
        told = [type(each).__name__ async for each in journals.events("finished-delegate")]

    assert {run_id: result.error_code for run_id, result in results.items()} == FINISHED
    assert layouts == {layout}
    called = results["finished-parallel"].messages[2]
    assert isinstance(called, ToolResultMessage)
    assert [each.text[:14] for each in called.results] == ["found parallel", "parallel looks"]
    assert str(results["denied"].content).endswith("was denied: no")
    assert (told[0], told[-1]) == ("AgentStarted", "RunFinished")


async def test_runs_go_on_and_end_once(shop: Application, log: Path) -> None:
    """Those that wait, are queued, or lost their process; nothing recorded is done again."""
    ended = await finish_all(shop)

    assert [run_id for run_id, result in ended.items() if not result.success] == []
    said = {run_id: result.messages[0] for run_id, result in ended.items()}
    assert said == {run_id: UserMessage(prompt) for run_id, prompt in UNFINISHED.items()}
    done = counts_in(log)
    assert {done[f"find {run_id}"] for run_id in ("waiting", "decided", "running")} == {0}
    assert {done[f"pay {run_id}"] for run_id in ("waiting", "decided", "queued-new")} == {1}
    assert done["dig running"] == done["look queued-carried"] == 1


async def test_a_run_that_goes_on_gets_the_layout_of_today(shop: Application) -> None:
    """A process of the older version could not read what is recorded now."""
    await finish_all(shop)

    journals = shop.container.run_journals()
    layouts = {run_id: (await journals.find(run_id)).layout for run_id in UNFINISHED}
    assert set(layouts.values()) == {LAYOUT}


async def test_records_say_which_process_took_a_run_over_and_why(shop: Application) -> None:
    """Of a run whose process was killed; what that one has recorded is shown without times."""
    await finish_all(shop)

    timeline = make_timeline(await shop.container.run_journals().recording("running"))
    [took_over] = [each for each in timeline.steps if each.attempt]
    assert (took_over.name, took_over.deaths) == ("tool/1", 1)
    assert took_over.worker.startswith(f"{socket.gethostname()}-{os.getpid()}-")
    assert took_over.started_at is not None
    assert timeline.steps[0].started_at is None


@pytest.mark.parametrize("layout", LAYOUTS[:-1], indirect=True)
async def test_a_run_of_an_earlier_layout_is_not_forked(shop: Application, layout: str) -> None:
    """Its steps name no parts of what was asked; the error says which layout they are in."""
    with pytest.raises(ForkError, match=f"in the layout {layout}, and a fork needs {LAYOUT}"):
        await shop.fork("finished-plain", after="enter").open()
