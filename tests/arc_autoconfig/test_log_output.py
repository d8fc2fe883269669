"""Where log records go when the process has no logging of its own."""

import json
import logging
import sys

import pytest

from arc_autoconfig.log_output import logging_to_stderr
from arc_autoconfig.settings import LogFormat, LoggingSettings, LogLevel
from arc_core.errors import ModelUnavailableError
from arc_core.log import get_logger
from tests.arc_autoconfig.handlers import without_handlers

logger = get_logger("test_log_output")


def test_records_are_written_to_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    """With level, logger and fields, from the configured severity on."""
    with without_handlers(), logging_to_stderr(LoggingSettings()):
        logger.info("run finished", run_id="r-1")
        logger.debug("not shown")

    written = capsys.readouterr()
    assert written.out == ""
    (line,) = written.err.splitlines()
    assert "info" in line
    assert "run finished" in line
    assert "r-1" in line


def test_json_is_one_object_per_line(capsys: pytest.CaptureFixture[str]) -> None:
    """For programs, tracebacks included, with letters of all languages as they are."""
    settings = LoggingSettings(format=LogFormat.JSON, level=LogLevel.DEBUG)
    with without_handlers(), logging_to_stderr(settings):
        logger.debug("안녕", run_id="r-1")
        logger.error("failed", exc_info=OSError("disk"))

    lines = capsys.readouterr().err.splitlines()
    first, second = (json.loads(line) for line in lines)
    assert "안녕" in lines[0]
    assert (first["event"], first["run_id"], first["level"]) == ("안녕", "r-1", "debug")
    assert first["logger"] == "arc.test_log_output"
    assert "OSError: disk" in second["exception"]


def test_nothing_remains_afterwards() -> None:
    """Handlers and level are as before, also after an error."""
    arc = logging.getLogger("arc")
    level = arc.level

    def fail() -> None:
        with logging_to_stderr(LoggingSettings()):
            assert len(arc.handlers) == 1
            raise OSError("x")

    with without_handlers():
        with pytest.raises(OSError, match="x"):
            fail()
        assert (arc.handlers, arc.level) == ([], level)


@pytest.mark.parametrize("name", ["", "arc"])
def test_an_application_that_logs_itself_is_left_alone(name: str) -> None:
    """A handler on the root or on Arc's logger means that the application has decided already."""
    owner, handler = logging.getLogger(name), logging.NullHandler()
    with without_handlers():
        owner.addHandler(handler)
        try:
            with logging_to_stderr(LoggingSettings()):
                assert logging.getLogger("arc").handlers == ([handler] if name else [])
        finally:
            owner.removeHandler(handler)


def written(capsys: pytest.CaptureFixture[str], settings: LoggingSettings) -> str:
    """What is written of a record with hostile fields, and of two failures."""
    with without_handlers(), logging_to_stderr(settings):
        logger.info("tool called", tool="x\x1b[2J\nerror: y", ids=["\x9b"], count=1)
        logger.error("run failed", exc_info=ModelUnavailableError("no one at http://a:b@host"))
        logger.error("tool failed", exc_info=OSError("disk\x1b[2J"))
    return capsys.readouterr().err


@pytest.mark.parametrize("form", LogFormat)
def test_foreign_text_cannot_take_over_a_terminal(
    *, form: LogFormat, capsys: pytest.CaptureFixture[str]
) -> None:
    """Ids, names of tools and exceptions are written out, in both formats."""
    err = written(capsys, LoggingSettings(format=form))

    assert not {"\x1b", "\x9b"} & set(err)
    assert not any(line.startswith("error: y") for line in err.splitlines())


FORGED = "2026-11-30T10:00:00Z [info     ] paid 31000 to eve"


@pytest.mark.parametrize(
    "separator", ["\n", "\r", "\r\n", "\x0b", "\x0c", "\x1c", "\x85", "\u2028"]
)
def test_no_line_break_begins_a_record_on_the_console(
    separator: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Not in messages, names, values, exceptions, their causes and notes, or stacks."""
    forged = f"x{separator}{FORGED}"
    error = OSError(forged)
    error.add_note(forged)
    error.__cause__ = ValueError(forged)
    with without_handlers(), logging_to_stderr(LoggingSettings()):
        logger.info("called %s", forged, tool=forged, ids=[forged], exception=forged, stack=forged)
        logger.info("named", **{forged: 1})
        logger.error("failed", exc_info=error)
        logging.getLogger("arc.other").error("%s", forged, exc_info=error, stack_info=True)
        logging.getLogger("another.library").error("%s", forged, exc_info=error)

    lines = [line for line in capsys.readouterr().err.splitlines() if line.strip("=")]
    records = [line for line in lines if not line.startswith("    ")]
    assert len(records) == 5
    assert [line for line in records if line.startswith("2026-11-30T10")] == []


@pytest.mark.parametrize(("level", "tracebacks"), [(LogLevel.INFO, 0), (LogLevel.DEBUG, 1)])
def test_a_failure_that_arc_names_is_a_line(
    *, level: LogLevel, tracebacks: int, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its traceback is written only at DEBUG; that of anything unexpected always is."""
    err = written(capsys, LoggingSettings(level=level))

    assert "ModelUnavailableError: no one at http://" in err
    assert "a:b@" not in err
    assert err.count("OSError: disk") == 1
    assert err.count("\n    arc_core.errors.ModelUnavailableError") == tracebacks


def test_a_process_without_standard_error_logs_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """And starts all the same."""
    monkeypatch.setattr(sys, "stderr", None)

    with without_handlers(), logging_to_stderr(LoggingSettings()):
        logger.error("not shown")

    assert sys.stderr is None
