"""Questions and logins on the command line: what waits is said, and answered by a command."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from arc_core import Answer, Deny, ToolContext, tool
from tests.arc_autoconfig.cli.invoking import invoke
from tests.arc_autoconfig.cli.shared_journals import OPTIONS, STORE

_MORE = f"{__name__}:order_shirt,{__name__}:list_issues,arc_core.testing.fakes:DictCredentials"
PARTS = ("--set", f"{OPTIONS[1]},{_MORE}")
QUESTION = "Which size,\n\x1b[31mdear customer?"
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "size": {"type": "integer", "description": "As on the label"},
        "colour": {"enum": ["red", "blue"], "default": "red"},
    },
    "required": ["size"],
}


@tool
async def order_shirt(context: ToolContext) -> str:
    """Order a shirt."""
    answer = await context.ask(QUESTION, SCHEMA)
    return f"ordered size {answer['size']}"


@tool
async def list_issues(context: ToolContext) -> str:
    """List the issues of the user."""
    await context.credential("github")
    return "none"


@pytest.fixture(autouse=True)
def _empty_store() -> Iterator[None]:
    yield
    for kept in (STORE.records, STORE.results):
        kept.clear()


def ask(question: str) -> str:
    """Have a run wait; return its id."""
    result = invoke("run", question, "--user", "ann", *PARTS)
    assert result.exit_code == 3, result.stderr
    [run_id] = STORE.records
    return run_id


def test_a_question_is_shown_with_its_fields_and_the_command() -> None:
    """In lines of their own, whatever its text has in it."""
    run_id = ask("Order a shirt")
    shown = invoke("runs", "show", run_id, *PARTS).stdout.splitlines()

    assert shown[1] == "order_shirt asks: Which size, \\x1b[31mdear customer?"
    assert shown[2] == "  size: integer, required, As on the label"
    assert shown[3] == '  colour: one of ["red", "blue"], default "red"'
    assert shown[4] == f"  arc runs answer {run_id} --values '{{\"size\": …}}'"
    assert shown[5] == f"  arc runs deny {run_id} --reason …"


def test_a_login_is_shown_with_its_address() -> None:
    """By the run itself, too, on standard error; there is nothing to answer."""
    result = invoke("run", "List the issues", "--user", "ann", *PARTS)
    [run_id] = STORE.records
    listed = invoke("runs", "waiting", *PARTS).stdout
    answered = invoke("runs", "answer", run_id, "--values", "{}", *PARTS)

    assert "list_issues needs a login of the user ann at github\n" in result.stderr
    assert "  log in at https://arc.example/oauth/login/1" in result.stderr
    assert "arc runs answer" not in result.stderr
    assert "https://arc.example/oauth/login/" in listed
    assert answered.exit_code == 1
    assert "It is a login" in answered.stderr
    assert "log in at https://arc.example/" in answered.stderr


@pytest.mark.parametrize("stdin", [None, '{"size": 40}'])
def test_a_question_is_answered(stdin: str | None) -> None:
    """On the command line, or on standard input."""
    run_id = ask("Order a shirt")
    values = '{"size": 40}' if stdin is None else "-"
    command = ("runs", "answer", run_id, "--values", values, "--by", "carol", *PARTS)
    answered = invoke(*command, stdin=stdin)
    invoke("run", "Hello", *PARTS)
    followed = invoke("runs", "follow", run_id, *PARTS)

    assert answered.exit_code == 0, answered.stderr
    assert "answered by carol" in answered.stderr
    [decision] = STORE.records[run_id].decisions.values()
    assert decision.answer == Answer({"size": 40})
    assert "ordered size 40" in followed.stdout


@pytest.mark.parametrize(
    ("command", "exit_code", "message"),
    [
        (("answer", "--values", "40"), 2, "write a JSON object"),
        (("answer", "--values", '{"size": "hunter2"}'), 1, "size: it is not of type 'integer'"),
        (("approve",), 1, "It is a question: order_shirt asks: Which size, \\x1b[31mdear"),
        (("approve",), 1, "arc runs answer "),
    ],
)
def test_what_a_question_does_not_take_is_refused(
    command: tuple[str, ...], exit_code: int, message: str
) -> None:
    """The message says what to do instead, and the question waits on."""
    run_id = ask("Order a shirt")
    name, *rest = command
    result = invoke("runs", name, run_id, *rest, *PARTS)

    assert result.exit_code == exit_code
    assert message in result.stderr
    assert "hunter2" not in result.stderr
    assert not STORE.records[run_id].decisions


def test_an_approval_is_not_answered_and_all_kinds_are_denied() -> None:
    """The command for approvals is named."""
    run_id = ask("Please pay 3 (amount)")
    refused = invoke("runs", "answer", run_id, "--values", '{"amount": 3}', *PARTS)
    STORE.records.clear()
    login = ask("List the issues")
    denied = invoke("runs", "deny", login, "--reason", "not now", *PARTS)

    assert refused.exit_code == 1
    assert f"arc runs approve {run_id} approve/0" in refused.stderr
    assert denied.exit_code == 0
    [decision] = STORE.records[login].decisions.values()
    assert decision.answer == Deny("not now")


def test_what_waits_is_listed_with_its_kind() -> None:
    """As a table and as JSON, of one user or of all; in the list of runs, too."""
    run_id = ask("Order a shirt")
    table = invoke("runs", "waiting", "--user", "ann", *PARTS)
    other = json.loads(invoke("runs", "waiting", "--user", "bob", "--json", *PARTS).stdout)
    [form] = json.loads(invoke("runs", "waiting", "--json", *PARTS).stdout)
    runs = invoke("runs", "list", *PARTS)
    [run] = json.loads(invoke("runs", "list", "--json", *PARTS).stdout)

    [row] = [each for each in table.stdout.splitlines() if run_id in each]
    assert row.split()[1:4] == ["ask/0/1", "question", "ann"]
    assert (form["kind"], form["schema"], other) == ("question", SCHEMA, [])
    assert "order_shirt asks: Which size" in runs.stdout
    assert run["requests"][0]["kind"] == "question"
