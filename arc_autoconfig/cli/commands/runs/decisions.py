"""`arc runs waiting`, `approve`, `answer` and `deny`: what people are asked, and what they say."""

import getpass
import json
import sys
from collections.abc import Mapping, Sequence
from typing import Any

import click

from arc_autoconfig.application import Application
from arc_autoconfig.cli.failures import RunFailure
from arc_autoconfig.cli.kept_runs import ask_journals, ask_run, key_of_only_request
from arc_autoconfig.cli.options import report_options, wiring_options
from arc_autoconfig.cli.output.run_view import describe_request, lines_to_decide, people_for
from arc_autoconfig.cli.output.tables import print_report
from arc_autoconfig.visible_text import visible
from arc_core.errors import InvalidDecisionError
from arc_core.forms import to_json
from arc_core.requests import Answer, Approve, Deny, Request, RequestKind

_COLUMNS = ("Run", "Key", "Kind", "User", "Since", "What is asked")
_NAMES = {
    RequestKind.APPROVAL: "a call that waits for approval",
    RequestKind.QUESTION: "a question",
    RequestKind.LOGIN: "a login",
}
_VERBS = {Approve: "approved", Answer: "answered", Deny: "denied"}


def _check_by(_ctx: click.Context, _option: click.Parameter, name: str | None) -> str | None:
    if name is not None and not (name.strip() and name.isprintable()):
        raise click.BadParameter("write who decides, in printable characters")
    return name


_RUN = click.argument("run_id", metavar="ID")
_KEY = click.argument("key", metavar="[KEY]", required=False)
_BY = click.option("--by", metavar="NAME", callback=_check_by, help="Who decides; you if left out.")


@click.command("waiting")
@click.option("--user", metavar="NAME", help="Of the runs of this user.")
@report_options
def list_waiting(ctx: click.Context, *, user: str | None, as_json: bool) -> None:
    """Show the approvals, questions and logins that wait, oldest first."""

    async def ask(app: Application) -> Sequence[Request]:
        return await (app.waiting() if user is None else app.waiting(user_id=user))

    found = ask_journals(ctx, ask)
    form = [make_request_form(each) for each in found]
    print_report(form, _COLUMNS, map(_row, found), as_json=as_json)


@click.command("approve")
@_RUN
@_KEY
@click.option("--arguments", metavar="JSON", help="In the place of those that the model wrote.")
@_BY
@wiring_options
@click.pass_context
def approve(
    ctx: click.Context, *, run_id: str, key: str | None, arguments: str | None, by: str | None
) -> None:
    """Let a call go on that waits; KEY may be left out if only one does."""
    changed = None if arguments is None else _read_object(arguments, "--arguments")
    _decide(ctx, Approve(changed), run_id=run_id, key=key, by=by)


@click.command("answer")
@_RUN
@_KEY
@click.option(
    "--values", metavar="JSON", required=True, help="The answer; - reads it from standard input."
)
@_BY
@wiring_options
@click.pass_context
def answer(
    ctx: click.Context, *, run_id: str, key: str | None, values: str, by: str | None
) -> None:
    """Answer the question of a tool. KEY may be left out if only one waits."""
    if values == "-":
        values = "" if sys.stdin is None else sys.stdin.read()
    _decide(ctx, Answer(_read_object(values, "--values")), run_id=run_id, key=key, by=by)


@click.command("deny")
@_RUN
@_KEY
@click.option("--reason", default="", help="What the model is told.")
@_BY
@wiring_options
@click.pass_context
def deny(ctx: click.Context, *, run_id: str, key: str | None, reason: str, by: str | None) -> None:
    """Refuse a call, a question or a login. KEY may be left out if only one waits."""
    _decide(ctx, Deny(reason), run_id=run_id, key=key, by=by)


def make_request_form(request: Request) -> dict[str, Any]:
    """Return the JSON form of a request, with its kind."""
    return {**json.loads(to_json(request)), "kind": request.kind.value}


def _decide(
    ctx: click.Context,
    decision: Approve | Answer | Deny,
    *,
    run_id: str,
    key: str | None,
    by: str | None,
) -> None:
    name = by or _user_name()

    async def ask(app: Application, known_as: str) -> tuple[str, str, Request | None]:
        found = key or await key_of_only_request(app, known_as)
        try:
            return known_as, found, await app.decide(known_as, found, decision, by=name)
        except InvalidDecisionError as error:
            raise _make_failure(error) from error

    known_as, decided, open_request = ask_run(ctx, run_id, ask)
    if open_request is None:
        then = "the run goes on when a process takes it that works on its queue, as arc worker does"
    else:
        then = f"the run goes on waiting for {people_for(open_request)}"
    line = f"{known_as} {decided}: {_VERBS[type(decision)]} by {name}; {then}."
    click.secho(visible(line), err=True, dim=True)


def _make_failure(error: InvalidDecisionError) -> RunFailure:
    """Return the failure that says what does not fit, or which command to use instead."""
    if error.place:
        return RunFailure(f"The {error.place} does not fit, {error.problem}.")
    request = error.request
    asked = f"It is {_NAMES[request.kind]}: {describe_request(request)}"
    lines = [asked, *lines_to_decide(request, key=f" {request.key}")]
    return RunFailure("\n".join(visible(each, one_line=True) for each in lines))


def _user_name() -> str:
    try:
        return getpass.getuser()
    except (ImportError, KeyError, OSError):  # as in a container whose user has no name
        raise click.UsageError("the name of this user is not known; write --by NAME") from None


def _read_object(text: str, option: str) -> Mapping[str, Any]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        message = f"""write a JSON object, as in {option} '{{"amount": 3}}'"""
        raise click.BadParameter(message, param_hint=option)
    return value


def _row(request: Request) -> tuple[str, ...]:
    since = request.since.isoformat(timespec="seconds")
    url = getattr(request, "url", None) or ""
    about = " ".join(filter(None, (describe_request(request), request.summary, url)))
    return request.run_id, request.key, request.kind.value, request.user_id, since, about
