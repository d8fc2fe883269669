"""JSON on standard output, for programs, without anything that other code prints."""

import json
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, redirect_stdout
from typing import Any, TextIO

import click

from arc_autoconfig.visible_text import escape_in_json

_STDOUT = "arc.stdout"
"""The key of `ctx.meta` for the standard output that is reserved for JSON."""

_STDOUT_FD, _STDERR_FD = 1, 2


@contextmanager
def reserve_stdout(ctx: click.Context) -> Iterator[None]:
    """Keep standard output for `print_json`; what other code prints goes to standard error."""
    with ExitStack() as stack:
        kept = sys.stdout
        if _is_the_process_own(kept):
            kept = stack.enter_context(_moved_away(kept))
        errors = sys.stderr or stack.enter_context(open(os.devnull, "w", encoding="utf-8"))
        stack.enter_context(redirect_stdout(errors))
        ctx.meta[_STDOUT] = kept
        yield


def print_json(value: Any) -> None:
    """Write a value as JSON; what JSON does not know is written as its text."""
    from pydantic_core import to_jsonable_python

    plain = to_jsonable_python(value, fallback=_plain)
    print_json_text(json.dumps(plain, ensure_ascii=False, indent=2))


def print_json_text(text: str) -> None:
    """Write what is JSON already."""
    ctx = click.get_current_context(silent=True)
    stdout = ctx.meta.get(_STDOUT) if ctx is not None else None
    click.echo(escape_in_json(text), file=stdout)


def print_form(value: object) -> None:
    """Write the JSON form of a value, over several lines."""
    from arc_core.forms import to_json

    print_json(json.loads(to_json(value)))


def _is_the_process_own(stream: TextIO | None) -> bool:
    try:
        return stream is not None and stream.fileno() == _STDOUT_FD and sys.stderr is not None
    except (OSError, ValueError):  # a test's, or another program's, that is in memory
        return False


@contextmanager
def _moved_away(stdout: TextIO) -> Iterator[TextIO]:
    """Standard output under another number, while its own number leads to standard error."""
    stdout.flush()
    copy = os.dup(_STDOUT_FD)
    os.dup2(_STDERR_FD, _STDOUT_FD)
    try:
        with os.fdopen(
            os.dup(copy), "w", encoding=stdout.encoding, errors=stdout.errors, newline=""
        ) as moved:
            yield moved
    finally:
        os.dup2(copy, _STDOUT_FD)
        os.close(copy)


def _plain(value: object) -> object:
    return dict(value) if isinstance(value, Mapping) else str(value)
