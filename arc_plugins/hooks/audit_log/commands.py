"""`arc audit`: check chained audit logs, keep their heads elsewhere, and forget people."""

import json
import os
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import BinaryIO

import click

from arc_plugins.hooks.audit_log.chain.lines import Seal
from arc_plugins.hooks.audit_log.chain.texts import TextStore, get_texts_path
from arc_plugins.hooks.audit_log.chain.verification import Head, Verification, read_heads

_SHOWN = 100

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
_FILES = click.argument("files", metavar="FILE…", nargs=-1, required=True, type=_FILE)


@click.group()
def audit() -> None:
    """Check chained audit logs, and forget people in them."""


@audit.command("verify")
@_FILES
@click.option("--key-from", metavar="ENV", help="The variable of the environment with the key.")
@click.option(
    "--head", type=click.File("rb"), help="What `arc audit head` has printed; - is standard input."
)
@click.pass_context
def _verify(
    ctx: click.Context, *, files: tuple[Path, ...], key_from: str | None, head: BinaryIO | None
) -> None:
    """Find and place what was changed in the files of one log.

    Give all of its files, the renamed ones too. Ends with 1 if anything was changed.
    """
    heads = () if head is None else _read_head_lines(head)
    verification = Verification(Seal(_read_key(key_from)), heads)
    count = 0
    try:
        for finding in verification.check(files):
            count += 1
            if count <= _SHOWN:
                click.echo(f"{finding.at}: {finding.kind.value}: {finding.text}")
    except OSError as error:
        raise click.ClickException(f"{error.filename} cannot be read: {error.strerror}") from error
    if count > _SHOWN:
        click.echo(f"… and {count - _SHOWN} more")
    for note in verification.notes[:_SHOWN]:
        click.echo(note, err=True)
    if not verification.lines and not count:
        raise click.ClickException("There is nothing to verify: the files are empty.")
    if head is None:
        click.echo("Without --head, an end that was cut off is not seen.", err=True)
    if key_from is None and not count:
        click.echo("Without a key, a chain that was made anew is not seen.", err=True)
    if count:
        ctx.exit(1)
    click.echo(f"{verification.lines} lines of {len(verification.chains)} chains are unchanged.")


@audit.command("head")
@_FILES
def _head(*, files: tuple[Path, ...]) -> None:
    """Print the last line of each chain as JSON, for keeping elsewhere.

    They are not checked: call `arc audit verify` first.
    """
    for head in read_heads(files):
        click.echo(json.dumps(asdict(head)))


@audit.command("forget")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.argument("user_id", metavar="USER")
@click.option("--tenant", "tenant_id", metavar="ID", help="The tenant of the user, if any.")
def _forget(*, file: Path, user_id: str, tenant_id: str | None) -> None:
    """Erase the texts of a user. What says which lines of the log FILE are theirs goes, too.

    The log itself stays as it is, and verifies as before.
    """
    texts = get_texts_path(file)
    if not texts.exists():
        raise click.ClickException(f"There are no texts beside {file}: {texts} does not exist.")
    if not TextStore(texts).forget(tenant_id, user_id):
        raise click.ClickException(f"{texts} knows no such user of this tenant.")
    click.echo("The user is forgotten.")


def _read_key(variable: str | None) -> bytes | None:
    if variable is None:
        return None
    key = os.environ.get(variable, "")
    if not key:
        raise click.UsageError(f"the variable {variable} of --key-from is empty or not set")
    return key.encode()


def _read_head_lines(opened: BinaryIO) -> Sequence[Head]:
    heads = []
    for number, line in enumerate(opened, start=1):
        try:
            found = json.loads(line)
            heads.append(Head(str(found["chain"]), int(found["n"]), str(found["mac"])))
        except (ValueError, TypeError, KeyError, RecursionError):
            text = f"line {number} of --head is not one that `arc audit head` prints"
            raise click.UsageError(text) from None
    if not heads:
        raise click.UsageError("--head is empty; give what `arc audit head` has printed")
    return heads
