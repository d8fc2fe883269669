"""A transaction for each run: committed with an answer, rolled back without one."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession, create_async_engine

from arc_autoconfig import Application
from arc_core import Hook, HookContext, Inject, ToolCall, ToolContext, service, tool
from arc_core.testing import ScriptedChatModel
from tests.arc_autoconfig.run_scopes import application, calling
from tests.arc_plugins.postgres_server import schema_at

pytestmark = pytest.mark.slow

INSERT = sqlalchemy.text("INSERT INTO notes (text) VALUES (:text)")


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The address of an empty database."""
    if request.param == "sqlite":
        yield f"sqlite+aiosqlite:///{tmp_path / 'notes.db'}"
        return
    with schema_at(request.getfixturevalue("postgres")) as address:
        found = sqlalchemy.make_url(address)
        schema = {"options": f"-csearch_path={found.query['search_path']}"}
        changed = found.set(drivername="postgresql+psycopg", query=schema)
        yield changed.render_as_string(hide_password=False)


class Notes:
    """An application whose tools and hook write notes in the transaction of their run."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.engine: AsyncEngine | None = None
        self.wrote = asyncio.Event()

    def application(self, model: ScriptedChatModel, **settings: Any) -> Application:
        """The application."""

        @service
        async def connect() -> AsyncIterator[AsyncEngine]:
            self.engine = create_async_engine(self.url)
            async with self.engine.begin() as connection:
                await connection.execute(sqlalchemy.text("CREATE TABLE notes (text VARCHAR(20))"))
            yield self.engine
            await self.engine.dispose()

        @service(scope="run")
        async def open_session(engine: AsyncEngine) -> AsyncIterator[AsyncSession]:
            async with AsyncSession(engine) as session, session.begin():
                yield session

        @tool
        async def hang(session: Inject[AsyncSession]) -> str:
            """Write a note, and never end."""
            await session.execute(INSERT, {"text": "hang"})
            self.wrote.set()
            await asyncio.Event().wait()
            return "never"

        parts = (connect, open_session, hang, by_inject, by_context, NotingHook, model)
        return application(*parts, **settings)

    async def texts(self) -> list[str]:
        """What a connection beside the run sees."""
        assert self.engine is not None
        async with self.engine.connect() as connection:
            rows = await connection.execute(sqlalchemy.text("SELECT text FROM notes"))
            return sorted(rows.scalars())

    @property
    def in_use(self) -> int:
        """How many connections are open."""
        assert self.engine is not None
        pool: Any = self.engine.pool
        return int(pool.checkedout())


@tool
async def by_inject(session: Inject[AsyncSession]) -> str:
    """Write a note."""
    await session.execute(INSERT, {"text": "by_inject"})
    return "ok"


@tool
async def by_context(context: ToolContext) -> str:
    """Write a note."""
    session = await context.get(AsyncSession)
    await session.execute(INSERT, {"text": "by_context"})
    return "ok"


class NotingHook(Hook):
    """Writes a note."""

    async def before_agent_start(self, context: HookContext) -> None:
        session = await context.get(AsyncSession)
        await session.execute(INSERT, {"text": "hook"})


def one_after_the_other(then: Any) -> ScriptedChatModel:
    """Calls both tools, one in each turn."""
    calls = ([ToolCall(name, name, "{}")] for name in ("by_inject", "by_context"))
    return ScriptedChatModel([*calls, then])


async def test_an_answer_commits(url: str) -> None:
    """What two tools and a hook wrote, at once."""
    notes = Notes(url)

    async with notes.application(one_after_the_other("Done.")) as app:
        result = await app.execute("Go.")

        assert result.success
        assert await notes.texts() == ["by_context", "by_inject", "hook"]
        assert notes.in_use == 0


async def test_a_run_that_waits_for_approval_rolls_back(url: str) -> None:
    """Nothing is kept of a run without an answer, unless it was committed."""
    notes = Notes(url)
    settings = {"tools": {"needs_approval": ["by_context"]}}

    async with notes.application(one_after_the_other("Done."), **settings) as app:
        result = await app.execute("Go.")

        assert result.waiting
        assert await notes.texts() == []
        assert notes.in_use == 0


@pytest.mark.parametrize("way", ["failure", "timeout", "cancellation", "stream left early"])
async def test_a_run_without_an_answer_rolls_back(url: str, way: str) -> None:
    """Nothing of it is seen, and no connection stays open."""
    notes, settings = Notes(url), {}
    model = one_after_the_other(ValueError()) if way == "failure" else calling("hang")
    if way == "timeout":
        settings = {"concurrency": {"request_timeout_s": 0.5}}

    async with notes.application(model, **settings) as app:
        if way in {"failure", "timeout"}:
            assert not (await app.execute("Go.")).success
        elif way == "cancellation":
            await cancelled(app, notes)
        else:
            async with aclosing(app.stream_events("Go.")) as stream:
                await anext(stream)
                await notes.wrote.wait()

        assert await notes.texts() == []
        assert notes.in_use == 0


async def cancelled(app: Application, notes: Notes) -> None:
    """A run that is cancelled after it wrote."""
    task = asyncio.create_task(app.execute("Go."))
    await notes.wrote.wait()
    task.cancel()
    await asyncio.wait([task])
    assert task.cancelled()
