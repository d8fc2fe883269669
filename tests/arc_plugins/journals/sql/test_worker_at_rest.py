"""What a worker costs its database while there is nothing to do."""

import asyncio
from pathlib import Path

import pytest

pytest.importorskip("croniter", reason="needs the extra durable")

from tests.arc_plugins.journals.sql.databases import database_at, scalar
from tests.arc_plugins.journals.sql.processes import process

pytestmark = pytest.mark.slow

_WINDOW_S = 10.0
_COUNTED_S = 12.0
"""After ten seconds at most, a server has counted what a connection has done before it was idle."""

_MOST_PER_S = 2.0
_MOST_CONNECTIONS = 3
_TRANSACTIONS = (
    "SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = current_database()"
)
_OTHERS = (
    "SELECT count(*) FROM pg_stat_activity "
    "WHERE datname = current_database() AND pid <> pg_backend_pid()"
)


async def test_an_idle_worker_asks_twice_a_second_at_most(postgres: str, tmp_path: Path) -> None:
    """After a run, too; it keeps three connections at most."""
    with database_at(postgres) as url, process(url, tmp_path / "log") as worker:
        worker.tell("submit r nowhere")
        worker.wait_for("in r finish")
        await asyncio.sleep(_COUNTED_S)
        before = scalar(url, _TRANSACTIONS)
        await asyncio.sleep(_WINDOW_S)
        asked = scalar(url, _TRANSACTIONS) - before
        connections = scalar(url, _OTHERS)

    assert asked <= _MOST_PER_S * _WINDOW_S, f"{asked} transactions"
    assert connections <= _MOST_CONNECTIONS
