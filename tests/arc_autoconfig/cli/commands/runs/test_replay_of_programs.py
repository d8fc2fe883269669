"""`arc replay` with deps, and with the application of a program."""

import json
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from tests.arc_autoconfig.cli.invoking import invoke

PROGRAM = '''
from dataclasses import dataclass

from arc_autoconfig import Application
from arc_core import Agent, CaseDeps, Inject
from arc_core.testing import ScriptedChatModel


@dataclass(frozen=True)
class Customer:
    name: str


class Customers(CaseDeps):
    """Makes the customer who asks."""

    name = "customer"

    async def make_case_deps(self, case):
        return Customer(case.prompt.rpartition(" ")[2])


class Broken(CaseDeps):
    """Has no customers."""

    name = "broken"

    async def make_case_deps(self, case):
        raise LookupError("the customers of ann@example.com are not there")


async def write_instructions(customer: Inject[Customer]) -> str:
    return f"You talk to {customer.name}."


def make_app(**options):
    clerk = Agent("clerk", instructions=write_instructions)
    model = ScriptedChatModel(["Hello."])
    return Application(register=[clerk, model, Customers, Broken], deps=Customer, **options)
'''


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A program in the working directory, imported."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "counter", raising=False)
    Path("counter.py").write_text(PROGRAM, "utf-8")
    return import_module("counter")


@pytest.fixture
async def lines(program: Any) -> list[str]:
    """The recording of a run of the program."""
    async with program.make_app(record=True) as app:
        result = await app.agent("clerk").execute("I am ann", deps=program.Customer("ann"))
        return [line async for line in app.export([result.run_id])]


@pytest.fixture
def recorded(lines: list[str]) -> str:
    """The file of the recording."""
    Path("runs.jsonl").write_text("\n".join(lines), "utf-8")
    return "runs.jsonl"


def test_the_application_of_a_program_replays_its_runs(recorded: str) -> None:
    """Without deps, the prompt is the recorded one, and a note says so."""
    result = invoke("replay", recorded, "--app", "counter:make_app")

    assert (result.exit_code, result.stdout) == (0, "1 run: 1 same\n")
    assert "cannot be prepared without deps" in result.stderr


def test_deps_are_made_for_each_run(recorded: str) -> None:
    """By the component that cases name, too; the prompt is written anew then."""
    text = Path("counter.py").read_text("utf-8").replace("You talk to", "Be kind to")
    Path("counter.py").write_text(text, "utf-8")
    sys.modules.pop("counter")

    result = invoke("replay", recorded, "--app", "counter:make_app", "--deps", "customer")

    assert result.exit_code == 1
    assert "-You talk to ann.\n    +Be kind to ann.\n" in result.stdout
    assert "without deps" not in result.stderr


def test_deps_that_do_not_exist_are_wrong_usage(recorded: str) -> None:
    """The error lists those that do."""
    result = invoke("replay", recorded, "--app", "counter:make_app", "--deps", "customers")

    assert result.exit_code == 2
    assert "--deps names 'customers', which does not exist" in result.stderr
    assert "write 'customer'" in result.stderr


def test_deps_that_cannot_be_made_end_the_replay(recorded: str) -> None:
    """The error names the component; what its exception says stays in the log."""
    result = invoke("replay", recorded, "--app", "counter:make_app", "--deps", "broken")

    assert result.exit_code == 2
    assert "the deps broken (Broken) raised LookupError" in result.stderr


def test_cases_are_tried_with_the_application_of_a_program(recorded: str) -> None:
    """And with its deps."""
    case = 'prompt = "I am ann"\nagent = "clerk"\ndeps = "customer"\nexpect.equals = "Hello."\n'
    Path("case.toml").write_text(case, "utf-8")

    result = invoke("eval", "case.toml", "--app", "counter:make_app", "--trials", "1", "--json")

    [report] = json.loads(result.stdout)["cases"]
    assert (report["passed"], report["trials"]) == (1, 1)


def test_settings_of_options_cannot_change_a_program(recorded: str) -> None:
    """It has its own, so that they would have no effect."""
    result = invoke("replay", recorded, "--app", "counter:make_app", "--model", "large")

    assert result.exit_code == 2
    assert "has settings of its own" in result.stderr
