"""The tables that the benchmarks write into a page."""

from pathlib import Path

import pytest

from benchmarks.report import Report

PAGE = "before\n<!-- figures of python -m benchmarks -->\nold\n<!-- end of figures -->\nafter\n"


@pytest.fixture
def page(tmp_path: Path) -> Path:
    """A page with figures of an earlier run."""
    path = tmp_path / "performance.md"
    path.write_text(PAGE, "utf-8")
    return path


def test_a_table_has_medians_and_ratios(page: Path) -> None:
    """Of the floor and of the SDK, with the most that Arc may cost."""
    figures = {"openai_sdk": [4.0], "openai_transport": [2.0], "arc_openai": [9.0, 1.0, 3.0]}

    Report(rounds=3, workloads={"stream": figures}).write(page)

    row = "| C: stream in a burst | µs/piece | 4.00 | 2.00 | 3.00 | 1.50 | 0.75 | 1.5 × floor |"
    assert row in page.read_text("utf-8").splitlines()


def test_what_was_not_measured_is_a_dash(page: Path) -> None:
    """A table needs no more than Arc."""
    Report(rounds=1, workloads={"stream": {"arc_openai": [3.0]}}).write(page)

    assert "| – | – | 3.00 | – | – | 1.5 × floor |" in page.read_text("utf-8")


def test_figures_of_arc_alone_stand_beside_their_bounds(page: Path) -> None:
    """In a table of their own."""
    Report(rounds=1, alone={"cache_hit": [140.0]}).write(page)

    assert "| answer from the cache | µs | 140.00 | 150 |" in page.read_text("utf-8")


def test_the_last_turn_is_compared_with_the_first(page: Path) -> None:
    """Beside the floor, whose last turn sends as many bytes."""
    turns = {
        "first_turn": {"arc_openai": [2.0], "openai_transport": [1.0]},
        "conversation": {"arc_openai": [2.5], "openai_transport": [1.3]},
    }

    Report(rounds=1, workloads=turns).write(page)

    text = page.read_text("utf-8")
    assert "costs 1.25 first ones, at most 1.2; that of the floor" in text
    assert "as many bytes, 1.30." in text


def test_the_rest_of_the_page_stays(page: Path) -> None:
    """What an earlier run wrote goes."""
    Report(rounds=1).write(page)

    text = page.read_text("utf-8")
    assert text.startswith("before\n<!--")
    assert text.endswith("-->\nafter\n")
    assert "old" not in text


def test_a_page_without_a_place_for_the_figures_is_refused(tmp_path: Path) -> None:
    """It is left as it is."""
    page = tmp_path / "page.md"
    page.write_text("nothing\n", "utf-8")

    with pytest.raises(ValueError, match="has no place for the figures"):
        Report(rounds=1).write(page)
