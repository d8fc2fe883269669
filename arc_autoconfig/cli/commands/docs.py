"""`arc docs`: the files that agents get to read."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Self

import click

from arc_autoconfig.cli.failures import FAILED_RUN, ConfigurationFailure, RunFailure
from arc_autoconfig.cli.options import report_options, wiring_options
from arc_autoconfig.cli.output.json_output import print_json
from arc_autoconfig.cli.output.progress import ProgressLine
from arc_autoconfig.cli.output.tables import print_report
from arc_autoconfig.cli.wiring import application_for
from arc_autoconfig.visible_text import visible
from arc_core.errors import ModelError
from arc_core.interfaces.conversations.retriever import (
    EmbedsPassages,
    IndexedFile,
    IndexesFiles,
    Indexing,
    IndexingProgress,
    IndexingStage,
)


@click.group()
@wiring_options
def docs() -> None:
    """See to the documents that agents get to read."""


def _read_metadata(
    _ctx: click.Context, _option: click.Parameter, values: tuple[str, ...]
) -> dict[str, str]:
    metadata = dict[str, str]()
    for each in values:
        key, equals, value = (part.strip() for part in each.partition("="))
        if not (key and equals and value):
            raise click.BadParameter(f"{each!r} is not KEY=VALUE, as in tenant=acme")
        if metadata.setdefault(key, value) != value:
            raise click.BadParameter(f"{key!r} is given twice")
    return metadata


@docs.command("add")
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--metadata",
    multiple=True,
    metavar="KEY=VALUE",
    callback=_read_metadata,
    help="By which the files can be filtered; may be given several times. `tenant=acme` shows "
    "them to the runs of that tenant alone.",
)
@report_options
def _add(
    ctx: click.Context, *, paths: tuple[Path, ...], metadata: dict[str, str], as_json: bool
) -> None:
    """Read Markdown, text and HTML files, or folders, into the index.

    A file that was added before is replaced, and keeps its metadata. With an embedder, passages
    that are new are embedded; what was done before a failure stays. Ends with 1 where a file had to
    be skipped; the others are in the index.
    """
    retriever = _index(ctx)
    with _IndexingLine() as line:
        files = asyncio.run(retriever.add_files(paths, metadata=metadata, on_progress=line.show))
    if as_json:
        print_json([asdict(file) for file in files])
    else:
        for file in files:
            if file.note is not None:
                note = f"{file.outcome.value} {file.source}: {file.note}"
                click.echo(visible(note, one_line=True), err=True)
        click.echo(_summary(files))
    if line.embedded:
        click.echo(line.summarize(), err=as_json)
    if any(file.outcome is Indexing.SKIPPED for file in files):
        ctx.exit(FAILED_RUN)


@docs.command("embed")
@wiring_options
@click.pass_context
def _embed(ctx: click.Context) -> None:
    """Embed the passages of the index that have no vector of the embedder.

    This is how an index is brought to another embedder, or to its first one: the vectors of the
    former are forgotten in the end.
    """
    retriever = _index(ctx)
    if not isinstance(retriever, EmbedsPassages):
        raise ConfigurationFailure(f"{type(retriever).__qualname__} keeps no vectors.")
    with _IndexingLine() as line:
        asyncio.run(retriever.embed_passages(on_progress=line.show))
    click.echo(line.summarize())


@docs.command("list")
@report_options
def _list(ctx: click.Context, *, as_json: bool) -> None:
    """Show the files in the index, and how many passages each has."""
    files = asyncio.run(_index(ctx).indexed_files())
    rows = [(source, str(count)) for source, count in files.items()]
    print_report(files, ("File", "Passages"), rows, as_json=as_json, folded=("File",))


@docs.command("remove")
@click.argument("sources", nargs=-1, required=True, metavar="FILE...")
@report_options
def _remove(ctx: click.Context, *, sources: tuple[str, ...], as_json: bool) -> None:
    """Take files out of the index. They are called as `arc docs list` shows them.

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


class _IndexingLine(ProgressLine):
    """The files that were read so far, and the passages that were embedded.

    Attributes:
        embedded: The last that was said of the embedding; None if there was none.
    """

    def __init__(self) -> None:
        super().__init__()
        self.embedded: IndexingProgress | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _type: object, error: BaseException | None, _traceback: object) -> None:
        self.close()
        if isinstance(error, ModelError):
            raise RunFailure(
                f"{error}\n{self.summarize()} before. The files that were read are found by "
                "words; to embed the rest, run `arc docs embed`."
            ) from error

    def show(self, progress: IndexingProgress) -> None:
        """Write the line anew."""
        text = f"{progress.done} of {progress.total} files read"
        if progress.stage is IndexingStage.EMBEDDING:
            self.embedded = progress
            text = f"{progress.done} of {progress.total} passages embedded"
        self.write(progress.done, progress.total, text)

    def summarize(self) -> str:
        """Return how many passages were embedded, and what it cost."""
        if self.embedded is None:
            return "0 passages embedded"
        done, usage = self.embedded.done, self.embedded.usage
        if usage is None:
            return f"{done} passages embedded"
        cost = "at an unknown price" if usage.cost is None else f"for {usage.cost:f} US dollars"
        return f"{done} passages embedded: {usage.tokens} tokens {cost}"


def _index(ctx: click.Context) -> IndexesFiles:
    retriever = application_for(ctx).container.retriever()
    if not isinstance(retriever, IndexesFiles):
        raise ConfigurationFailure(
            f"{type(retriever).__qualname__} has no index that files can be added to.\n"
            "Set rag.path, as in rag.path=documents.db, or rag.url, to keep one."
        )
    return retriever


def _summary(files: Sequence[IndexedFile]) -> str:
    counts = Counter(file.outcome for file in files)
    outcomes = ", ".join(f"{counts[outcome]} {outcome.value}" for outcome in Indexing)
    return f"{outcomes}: {sum(file.passages for file in files)} passages"
