"""`arc serve shop:app` and `arc worker shop:app`: an application that a program makes."""

import sys
from pathlib import Path

import pytest

from tests.arc_autoconfig.cli.invoking import invoke

PROGRAM = """
from dataclasses import dataclass
from arc_autoconfig import Application, ArcSettings
from arc_core import Inject, tool
from tests.arc_autoconfig.cli.shared_journals import EndingJournals

@dataclass(frozen=True)
class CurrentUser:
    name: str

@tool
async def my_orders(user: Inject[CurrentUser]) -> str:
    "My orders."
    return user.name

settings = ArcSettings(llm={"provider": "offline"})
app = Application(settings, register=[my_orders, EndingJournals], deps=CurrentUser)

def make_app() -> Application:
    return Application(settings, register=[my_orders, EndingJournals], deps=CurrentUser)

async def make_later() -> Application:
    return app

def needs_more(name: str) -> Application:
    return app

def fails() -> Application:
    raise OSError("the disk is full")

number = 3
"""


@pytest.fixture(autouse=True)
def _program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "arc_shop", raising=False)
    monkeypatch.setattr(sys, "path", [each for each in sys.path if each not in {"", str(tmp_path)}])
    Path("arc_shop.py").write_text(PROGRAM, "utf-8")


@pytest.mark.parametrize("place", ["arc_shop:app", "arc_shop:make_app"])
def test_a_worker_takes_the_application_of_a_program(place: str) -> None:
    """Itself or a function that makes it, from the folder it is called in, with its deps."""
    result = invoke("worker", place, "--queue", "slow")

    assert result.exit_code == 0, result.output
    assert "takes ('slow',), None at a time" in result.output
    assert "lets go of its runs" in result.output


def test_a_server_takes_the_application_of_a_program() -> None:
    """The option for the address is for the server, and holds for every application."""
    result = invoke("serve", "arc_shop:app", "--host", "0.0.0.0", "--port", "0")

    assert result.exit_code == 2
    assert "must not listen on 0.0.0.0 without keys" in result.output


@pytest.mark.parametrize(
    ("place", "told"),
    [
        ("arc_shop", "not of the form package.module:attribute"),
        ("arc_nowhere:app", "No module named 'arc_nowhere'"),
        ("arc_shop:ap", "write 'app'"),
        ("arc_shop:number", "is of the type int, not an Application"),
        ("arc_shop:make_later", "is an asynchronous function"),
        ("arc_shop:needs_more", "missing 1 required positional argument"),
        ("arc_shop:fails", "the disk is full"),
    ],
)
def test_a_place_without_an_application_is_told(place: str, told: str) -> None:
    """In whole sentences, without a traceback."""
    result = invoke("worker", place)

    assert result.exit_code == 2
    assert told in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize(
    "options",
    [
        ("--set", "llm.temperature=0"),
        ("--no-plugin", "offline"),
        ("--model", "gpt"),
        ("--config", "other.toml"),
    ],
    ids=lambda options: options[0],
)
def test_options_that_would_have_no_effect_are_wrong_usage(options: tuple[str, str]) -> None:
    """A program makes its application with settings of its own."""
    result = invoke("serve", "arc_shop:app", *options)

    assert result.exit_code == 2
    assert "arc_shop:app has settings of its own" in result.stderr


@pytest.mark.parametrize("command", [["worker"], ["serve", "--port", "0"], ["runs", "list"]])
def test_deps_that_only_a_program_declares_are_told_with_class_tool_and_remedy(
    command: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """What these commands wire from the settings does not know of the program's line."""
    monkeypatch.syspath_prepend(str(tmp_path))
    journals = "tests.arc_autoconfig.cli.shared_journals:SharedJournals"

    result = invoke(*command, "--set", f"plugins.load=arc_shop:my_orders,{journals}")

    assert result.exit_code == 2
    assert "my_orders, parameter 'user'" in result.stderr
    assert "asks for a CurrentUser" in result.stderr
    assert "@run_deps above the class" in result.stderr
