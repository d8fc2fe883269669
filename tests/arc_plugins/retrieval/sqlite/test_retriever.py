"""Documents for runs, from an index of files."""

import asyncio
import os
import threading
from pathlib import Path
from types import MappingProxyType

import pytest

from arc_core import AgentCommand, ConfigurationError, Embedder, IndexesFiles, Indexing, UserMessage
from arc_core.interfaces.optional import ChecksHealth, HealthStatus
from arc_core.testing import RecordingMetrics, ScriptedChatModel, scripted_agent
from arc_core.testing.conformance.conversations.retriever import RetrieverConformance
from arc_plugins.retrieval.sqlite import SqliteRagSettings
from arc_plugins.retrieval.sqlite.database import writing
from arc_plugins.retrieval.sqlite.retriever import SqliteRetriever
from tests.arc_core.retrieval.embedders import ConceptEmbedder

COMMAND = AgentCommand(user_prompt="Seoul weather")


def retriever(folder: Path, embedder: Embedder | None = None) -> SqliteRetriever:
    """One with its index in this folder."""
    settings = SqliteRagSettings(path=folder / "index.db")
    return SqliteRetriever(settings=settings, embedder=embedder)


async def filled(folder: Path) -> SqliteRetriever:
    """One that knows a file."""
    (folder / "seoul.md").write_text("# Weather\n\nIt rains in Seoul.", "utf-8")
    made = retriever(folder)
    await made.add_files([folder / "seoul.md"])
    return made


@pytest.fixture(scope="module")
def folders() -> dict[type, Path]:
    """Where the index of each class lies, which its first test makes."""
    return {}


class TestSqliteRetriever(RetrieverConformance):
    """What the engine relies on."""

    query = "weather"
    filter = MappingProxyType({"team": "north"})
    tenants = ("acme", "globex")

    @pytest.fixture(autouse=True)
    async def _folder(self, folders: dict[type, Path], tmp_path: Path) -> None:
        self._path = folders.setdefault(type(self), tmp_path)
        if self._path == tmp_path:
            for number, metadata in enumerate(
                ({}, {"team": "north"}, {"tenant": "acme"}, {"tenant": "globex", "team": "south"})
            ):
                file = tmp_path / f"{number}.md"
                file.write_text(f"The weather in place {number}.", "utf-8")
                await self.make_retriever().add_files([file], metadata=metadata)

    def make_retriever(self) -> SqliteRetriever:
        """Documents about the weather, of tenants and of none."""
        return retriever(self._path)


class TestSqliteRetrieverByBoth(TestSqliteRetriever):
    """What the engine relies on, with an embedder."""

    def make_retriever(self) -> SqliteRetriever:
        """Documents with vectors."""
        return retriever(self._path, ConceptEmbedder())


async def test_documents_reach_the_model(tmp_path: Path) -> None:
    """With their sources, as seen from the folder of the index."""
    model = ScriptedChatModel(["Rain."])

    await scripted_agent(model, retriever=await filled(tmp_path)).execute(COMMAND)

    question = model.requests[0].messages[0]
    assert isinstance(question, UserMessage)
    assert "Source: seoul.md\nWeather\nIt rains in Seoul." in question.text


async def test_files_are_told_apart(tmp_path: Path) -> None:
    """New ones, known ones however they are named, and those that cannot be read."""
    made = await filled(tmp_path)
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "new.txt").write_text("new", "utf-8")

    files = await made.add_files([
        tmp_path / "sub" / ".." / "seoul.md", tmp_path / "sub", tmp_path / "gone.md"
    ])  # fmt: skip

    assert [(file.source, file.outcome) for file in files] == [
        ("gone.md", Indexing.SKIPPED),
        ("seoul.md", Indexing.REPLACED),
        ("sub/new.txt", Indexing.ADDED),
    ]
    assert await made.indexed_files() == {"seoul.md": 1, "sub/new.txt": 1}
    assert await made.remove_files(["sub/new.txt"]) == ["sub/new.txt"]


async def test_it_refuses_to_start_without_its_index(tmp_path: Path) -> None:
    """At start-up, not later."""
    with pytest.raises(ConfigurationError, match="does not exist"):
        await retriever(tmp_path).start()


async def test_a_locked_index_costs_no_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The run goes on without documents, and the failure is counted."""
    monkeypatch.setattr("arc_plugins.retrieval.sqlite.database._LOCK_TIMEOUT_S", 0.01)
    made, metrics = await filled(tmp_path), RecordingMetrics()
    agent = scripted_agent(ScriptedChatModel(["Hi."]), retriever=made, agent_metrics=metrics)

    with writing(tmp_path / "index.db") as connection:
        connection.execute("BEGIN EXCLUSIVE")
        result = await agent.execute(COMMAND)

    assert result.content == "Hi."
    assert len(metrics.faults) == 1


async def test_waiting_leaves_the_loop_alone_and_can_be_cancelled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A search that hangs holds no other caller, and its caller leaves at once."""
    asked, may_end = threading.Event(), threading.Event()

    def hang(*_: object, **__: object) -> list[object]:
        asked.set()
        may_end.wait()
        return []

    await filled(tmp_path)
    monkeypatch.setattr("arc_plugins.retrieval.sqlite.words.TermSearch.find", hang)
    task = asyncio.create_task(retriever(tmp_path).retrieve("x", limit=1))
    await asyncio.to_thread(asked.wait)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    may_end.set()


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may write to everything")
async def test_a_read_only_index_is_read(tmp_path: Path) -> None:
    """Only adding needs the right to write."""
    made = await filled(tmp_path)
    (tmp_path / "index.db").chmod(0o400)

    assert len(await made.retrieve("Seoul", limit=5)) == 1
    with pytest.raises(ConfigurationError, match="cannot be written to"):
        await made.add_files([tmp_path / "seoul.md"])


async def test_it_says_how_it_is(tmp_path: Path) -> None:
    """How much there is to find, or that there is nothing."""
    made = await filled(tmp_path)
    full = await made.check_health()
    await made.remove_files(["seoul.md"])
    empty = await made.check_health()

    assert isinstance(made, ChecksHealth)
    assert isinstance(made, IndexesFiles)
    assert (full.status, empty.status) == (HealthStatus.OK, HealthStatus.WARNING)
    assert full.summary.endswith("index.db has 1 passages of 1 files")


def test_it_needs_a_path() -> None:
    """A program that makes one by hand is told what is missing."""
    with pytest.raises(ConfigurationError, match=r"rag\.path is not set"):
        SqliteRetriever(settings=SqliteRagSettings())
