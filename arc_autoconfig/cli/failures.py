"""Errors of commands: text and an exit code for a user's mistake, a traceback for a bug.

Exit codes: 0 all went well, 1 a run failed, 2 wrong usage or configuration, 3 a run waits for a
person, 130 Ctrl-C.
"""

import traceback
from collections.abc import Iterator
from contextlib import contextmanager

import click

FAILED_RUN = 1
WAITING_RUN = 3
INTERRUPTED = 130

TRACEBACK = "arc.traceback"
"""The key of `ctx.meta` that says that tracebacks are wanted."""


class _Failure(click.ClickException):
    """Shows its message in such a way that nothing in it can take over a terminal."""

    def format_message(self) -> str:
        from arc_autoconfig.visible_text import visible

        return visible(super().format_message())


class ConfigurationFailure(_Failure):
    """Something is installed or configured wrongly."""

    exit_code = 2


class RunFailure(_Failure):
    """Something went wrong that no configuration can mend."""

    exit_code = FAILED_RUN


@contextmanager
def explain_errors(ctx: click.Context) -> Iterator[None]:
    """Turn errors that a user can mend into text on standard error."""
    try:
        yield
    except (KeyboardInterrupt, click.Abort):
        click.echo(err=True)
        raise click.exceptions.Exit(INTERRUPTED) from None
    except click.ClickException as error:
        if error.__cause__ is not None:
            _show_traceback(ctx, error.__cause__)
        raise
    except Exception as error:  # only to tell a user's mistakes from bugs; the latter go on
        failure = _failure(error)
        if failure is None:
            raise
        _show_traceback(ctx, error)
        raise failure from error


def _failure(error: Exception) -> click.ClickException | None:
    """Return the failure that the user is told; None for a bug."""
    from arc_core.errors import ArcError, ConfigurationError, ToolDefinitionError
    from arc_core.messages.content import AttachmentError

    if isinstance(error, AttachmentError | ConfigurationError | ToolDefinitionError):
        return ConfigurationFailure(str(error))
    return RunFailure(str(error)) if isinstance(error, ArcError) else None


def _show_traceback(ctx: click.Context, error: BaseException) -> None:
    if ctx.meta.get(TRACEBACK):
        from arc_autoconfig.visible_text import visible

        click.echo(visible("".join(traceback.format_exception(error))), err=True, nl=False)
