"""A user's mistake is text and an exit code, a bug is a traceback."""

from collections.abc import Callable

import click
import pytest
from click.testing import CliRunner, Result

from arc_autoconfig.cli.main import CommandGroup
from arc_autoconfig.cli.options import wiring_options
from arc_core import ArcError, ConfigurationError, ModelError, ToolDefinitionError


def failing(error: BaseException, *options: str) -> Result:
    """What a group comes to whose command raises."""

    @click.group(cls=CommandGroup, invoke_without_command=True)
    @wiring_options
    def group() -> None:
        raise error

    return CliRunner().invoke(group, options)


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (ConfigurationError("it is wrong", remedy="mend it"), 2),
        (ToolDefinitionError(tool="mine", problem="no types", remedy="Write them."), 2),
        (ModelError("it failed"), 1),
        (ArcError("it failed"), 1),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else value,
)
def test_mistakes_have_text_and_a_code(error: ArcError, code: int) -> None:
    """On standard error, without a traceback."""
    result = failing(error)

    assert (result.exit_code, result.stdout) == (code, "")
    assert result.stderr == f"Error: {error}\n"


def test_a_traceback_is_shown_when_asked_for() -> None:
    """Above the text."""
    result = failing(ConfigurationError("it is wrong", remedy="mend it"), "--traceback")

    assert result.stderr.startswith("Traceback")
    assert result.stderr.endswith("To fix it: mend it\n")


@pytest.mark.parametrize("interrupt", [KeyboardInterrupt, click.Abort])
def test_an_interrupt_has_its_own_code(interrupt: Callable[[], BaseException]) -> None:
    """130, as shells have it for Ctrl-C."""
    result = failing(interrupt())

    assert (result.exit_code, result.output) == (130, "\n")


def test_a_bug_is_not_hidden() -> None:
    """What no user can mend leaves as it is."""
    result = failing(ZeroDivisionError("bug"))

    assert isinstance(result.exception, ZeroDivisionError)
