"""`arc docs`: the files that agents get to read."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import click

from arc_autoconfig.cli.failures import FAILED_RUN, ConfigurationFailure
from arc_autoconfig.cli.options import report_options, wiring_options
from arc_autoconfig.cli.output.json_output import print_json
from arc_autoconfig.cli.output.tables import print_rows
from arc_autoconfig.cli.wiring import application_for
from arc_autoconfig.visible_text import visible
from arc_core.interfaces.conversations.retriever import IndexedFile, IndexesFiles, Indexing


@click.group()
@wiring_options
def docs() -> None:
    """See to the documents that agents get to read."""


@docs.command("add")
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))
@report_options
def _add(ctx: click.Context, *, paths: tuple[Path, ...], as_json: bool) -> None:
    """Read Markdown, text and HTML files, and those in folders, into the index at rag.path.

    A file that was added before is replaced. Ends with 1 where a file had to be skipped; the others
    are in the index.
    """
    files = asyncio.run(_index(ctx).add_files(paths))
    if as_json:
        print_json([asdict(file) for file in files])
    else:
        for file in files:
            if file.note is not None:
                note = f"{file.outcome.value} {file.source}: {file.note}"
                click.echo(visible(note, one_line=True), err=True)
        click.echo(_summary(files))
    if any(file.outcome is Indexing.SKIPPED for file in files):
        ctx.exit(FAILED_RUN)


@docs.command("list")
@report_options
def _list(ctx: click.Context, *, as_json: bool) -> None:
    """Show the files in the index, and how many passages each has."""
    files = asyncio.run(_index(ctx).indexed_files())
    if as_json:
        print_json(files)
    else:
        rows = [(source, str(count)) for source, count in files.items()]
        print_rows(("File", "Passages"), rows, folded=("File",))


@docs.command("remove")
@click.argument("sources", nargs=-1, required=True, metavar="FILE...")
@report_options
def _remove(ctx: click.Context, *, sources: tuple[str, ...], as_json: bool) -> None:
    """Take files out of the index; they are called as `arc docs list` shows them.

    Ends with 1 where one was not there.
    """
    removed = asyncio.run(_index(ctx).remove_files(sources))
    if as_json:
        print_json(removed)
    else:
        for source in sources:
            if source not in removed:
                click.echo(f"{visible(source)} is not in the index", err=True)
        click.echo(f"{len(removed)} removed")
    if len(removed) < len(set(sources)):
        ctx.exit(FAILED_RUN)


def _index(ctx: click.Context) -> IndexesFiles:
    retriever = application_for(ctx).container.retriever()
    if not isinstance(retriever, IndexesFiles):
        raise ConfigurationFailure(
            f"{type(retriever).__qualname__} has no index that files can be added to.\n"
            "Set rag.path, as in rag.path=documents.db, to keep one."
        )
    return retriever


def _summary(files: Sequence[IndexedFile]) -> str:
    counts = Counter(file.outcome for file in files)
    outcomes = ", ".join(f"{counts[outcome]} {outcome.value}" for outcome in Indexing)
    return f"{outcomes}: {sum(file.passages for file in files)} passages"
