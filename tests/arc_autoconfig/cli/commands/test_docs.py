"""`arc docs`."""

import json
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
