"""`arc docs`."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.arc_autoconfig.cli.invoking import invoke


@pytest.fixture
def options(tmp_path: Path) -> tuple[str, ...]:
    """Options that put the index beside a folder with two documents."""
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "seoul.md").write_text("# 날씨\n\n서울에 비가 온다.", "utf-8")
    (folder / "oslo.html").write_text("<h1>Weather</h1><p>Snow in Oslo.", "utf-8")
    return "--set", f"rag.path={tmp_path}/index.db"


def test_a_folder_is_added_and_listed(tmp_path: Path, options: tuple[str, ...]) -> None:
    """The first call adds, the second replaces."""
    first = invoke("docs", "add", str(tmp_path / "docs"), *options)
    second = invoke("docs", *options, "add", str(tmp_path / "docs"))
    listed = invoke("docs", "list", "--json", *options)

    assert first.stdout == "2 added, 0 replaced, 0 skipped: 2 passages\n"
    assert second.stdout == "0 added, 2 replaced, 0 skipped: 2 passages\n"
    assert json.loads(listed.stdout) == {"docs/oslo.html": 1, "docs/seoul.md": 1}


def test_a_file_that_cannot_be_read_costs_only_itself(
    tmp_path: Path, options: tuple[str, ...]
) -> None:
    """It is named with its cause, and the exit code says that there was one."""
    (tmp_path / "docs" / "broken.txt").write_bytes("서울 날씨".encode("cp949"))

    result = invoke("docs", "add", str(tmp_path / "docs"), *options)

    assert result.exit_code == 1
    assert "skipped docs/broken.txt: it is not UTF-8" in result.stderr
    assert result.stdout == "2 added, 0 replaced, 1 skipped: 2 passages\n"


def test_a_link_out_of_the_folder_is_not_followed(tmp_path: Path, options: tuple[str, ...]) -> None:
    """Nothing of a file beside the folder gets into the index; the link is named with the cause."""
    (tmp_path / "private.md").write_text("# Passwords\n\nswordfish", "utf-8")
    (tmp_path / "docs" / "linked.md").symlink_to(tmp_path / "private.md")

    result = invoke("docs", "add", str(tmp_path / "docs"), *options)
    listed = invoke("docs", "list", "--json", *options)

    assert result.exit_code == 1
    assert "skipped docs/linked.md: it is a link out of the folder" in result.stderr
    assert set(json.loads(listed.stdout)) == {"docs/oslo.html", "docs/seoul.md"}


def test_programs_read_json(tmp_path: Path, options: tuple[str, ...]) -> None:
    """One object a file, and nothing else on standard output."""
    result = invoke("docs", "add", "--json", str(tmp_path / "docs" / "seoul.md"), *options)

    assert json.loads(result.stdout) == [
        {"source": "docs/seoul.md", "outcome": "added", "passages": 1, "note": None}
    ]


def test_files_are_removed(tmp_path: Path, options: tuple[str, ...]) -> None:
    """A name that is not there is told, and ends with 1."""
    invoke("docs", "add", str(tmp_path / "docs"), *options)

    result = invoke("docs", "remove", "docs/seoul.md", "gone.md", *options)

    assert (result.exit_code, result.stdout) == (1, "1 removed\n")
    assert "gone.md is not in the index" in result.stderr


EMBEDDER = ("--set", 'plugins.load=["tests.arc_core.retrieval.embedders:ConceptEmbedder"]')


def test_documents_are_embedded_and_the_cost_is_told(
    tmp_path: Path, options: tuple[str, ...]
) -> None:
    """Only of what is new."""
    folder = str(tmp_path / "docs")

    first = invoke("docs", "add", folder, *options, *EMBEDDER)
    second = invoke("docs", "add", folder, *options, *EMBEDDER)
    as_json = invoke("docs", "add", "--json", folder, *options)

    cost = "2 passages embedded: 2 tokens for 0.02 US dollars\n"
    assert first.stdout == f"2 added, 0 replaced, 0 skipped: 2 passages\n{cost}"
    assert second.stdout == "0 added, 2 replaced, 0 skipped: 2 passages\n"
    assert len(json.loads(as_json.stdout)) == 2


def test_an_index_gets_its_vectors_later(tmp_path: Path, options: tuple[str, ...]) -> None:
    """By a command of its own, which needs an embedder."""
    invoke("docs", "add", str(tmp_path / "docs"), *options)

    refused = invoke("docs", "embed", *options)
    embedded = invoke("docs", "embed", *options, *EMBEDDER)
    again = invoke("docs", "embed", *options, *EMBEDDER)

    assert (refused.exit_code, "embedder.provider" in refused.stderr) == (2, True)
    assert embedded.stdout.startswith("2 passages embedded: 2 tokens")
    assert again.stdout == "0 passages embedded\n"


def test_an_embedder_that_fails_leaves_files_by_words(
    tmp_path: Path, options: tuple[str, ...]
) -> None:
    """What to do is said, and ends with 1."""
    failing = "tests.arc_core.retrieval.embedders:UnreachableEmbedder"

    result = invoke(
        *("docs", "add", str(tmp_path / "docs"), *options, "--set", f'plugins.load=["{failing}"]')
    )
    listed = invoke("docs", "list", "--json", *options)

    assert result.exit_code == 1
    assert "it is down\n0 passages embedded before" in result.stderr
    assert "run `arc docs embed`" in result.stderr
    assert len(json.loads(listed.stdout)) == 2


def test_documents_get_metadata(tmp_path: Path, options: tuple[str, ...]) -> None:
    """Several pairs; what is not one is a mistake in the call."""
    folder = str(tmp_path / "docs")
    added = invoke(
        *("docs", "add", folder, "--metadata", "tenant=acme", "--metadata", "a = b=c", *options)
    )
    wrong = ["tenant", "tenant=", "=acme"]

    results = [invoke("docs", "add", folder, "--metadata", each, *options) for each in wrong]
    twice = invoke("docs", "add", folder, *("--metadata", "a=b", "--metadata", "a=c"), *options)

    assert added.exit_code == 0
    with closing(sqlite3.connect(tmp_path / "index.db")) as index:
        rows = index.execute("SELECT DISTINCT key, value FROM source_metadata ORDER BY key")
        assert rows.fetchall() == [("a", "b=c"), ("tenant", "acme")]
    assert [each.exit_code for each in (*results, twice)] == [2] * 4
    assert "is not KEY=VALUE" in results[0].stderr


def test_without_an_index_it_says_what_to_set(tmp_path: Path) -> None:
    """The default retriever has none."""
    result = invoke("docs", "add", str(tmp_path))

    assert result.exit_code == 2
    assert "Set rag.path" in result.stderr


def test_an_index_that_cannot_be_made_is_explained(
    tmp_path: Path, options: tuple[str, ...]
) -> None:
    """As text with an exit code."""
    place = f"rag.path={tmp_path}/no/such/index.db"

    result = invoke("docs", "add", str(tmp_path / "docs"), "--set", place)

    assert result.exit_code == 2
    assert "cannot be opened" in result.stderr
