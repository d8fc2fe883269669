"""Warnings and errors as lines."""

import logging
import sys

import pytest

from arc_autoconfig.cli.wiring import brief_logging
from arc_core.log import get_logger

LOGGER = get_logger("test")


def logged(capsys: pytest.CaptureFixture[str], *, with_tracebacks: bool = False) -> str:
    """What is written of one record of each severity, the last with an exception."""
    with brief_logging(with_tracebacks=with_tracebacks):
        LOGGER.info("it goes on", run_id="r-1")
        LOGGER.warning("something is odd", run_id="r-1")
        LOGGER.error("it failed", exc_info=ConnectionError("no\nanswer"))
    return capsys.readouterr().err


def test_a_record_is_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    """Severity, event, and the exception in a few words; nothing below a warning."""
    assert logged(capsys).splitlines() == [
        "warning: something is odd",
        "error: it failed: ConnectionError: no answer",
    ]


def test_a_line_names_what_it_is_about(capsys: pytest.CaptureFixture[str]) -> None:
    """Fields that the message does not say already, but for those of the run."""
    with brief_logging(with_tracebacks=False):
        LOGGER.warning("it is down", server="files\x1b", tried=["a", "b"], run_id="r-1", none=None)
        LOGGER.warning("files is down", server="files")

    assert capsys.readouterr().err.splitlines() == [
        "warning: it is down (server=files\\x1b, tried=a, b)",
        "warning: files is down",
    ]


def test_tracebacks_are_written_when_wanted(capsys: pytest.CaptureFixture[str]) -> None:
    """Behind the line, and indented: what an exception says must not look like another record."""
    lines = logged(capsys, with_tracebacks=True).splitlines()

    assert lines[3:] == ["    answer"]
    assert lines[1:3] == ["error: it failed", "    ConnectionError: no"]


def test_the_process_is_left_as_it_was(capsys: pytest.CaptureFixture[str]) -> None:
    """Handler and level are gone with the context, whatever ended it."""
    arc = logging.getLogger("arc")
    before = (list(arc.handlers), arc.level)

    with pytest.raises(ZeroDivisionError), brief_logging(with_tracebacks=False):
        raise ZeroDivisionError

    assert (list(arc.handlers), arc.level) == before
    assert sys.stderr is not None
