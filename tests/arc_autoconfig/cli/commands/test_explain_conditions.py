"""`arc conditions`."""

import json

import pytest

from arc_autoconfig import Application
from tests.arc_autoconfig.cli.invoking import invoke
from tests.arc_autoconfig.installed import PackageIndex


def test_people_read_a_table() -> None:
    """Who is wired, who is not, and why, without colours in a pipe."""
    result = invoke("conditions")

    assert result.exit_code == 0
    assert "not openai" in result.stdout
    assert "environment variable OPENAI_API_KEY is set" in result.stdout
    assert "\x1b" not in result.stdout


@pytest.mark.slow
def test_programs_read_json() -> None:
    """What the report itself says, with contributions in the order in which they work."""
    app = Application()
    app.arrange()

    result = invoke("conditions", "--json")

    assert json.loads(result.stdout) == app.report.to_dict()["decisions"]


@pytest.mark.slow
def test_guards_are_shown_in_the_order_in_which_they_work(packages: PackageIndex) -> None:
    """Even if another component cannot be built."""
    source = "from arc_core import Allowed, Guard\nclass Last(Guard):\n    order = 1000\n"
    source += "    async def check(self, request): return Allowed()\n"
    source += "class Cache:\n    def __init__(self): raise OSError('no')\n"
    source += "    async def get(self, key): ...\n    async def put(self, key, value): ...\n"
    source += "    async def invalidate(self, key): ...\n"
    packages.install(
        "acme", modules={"acme": source},
        arc__guards={"a_last": "acme:Last"}, arc__response_caches={"broken": "acme:Cache"},
    )  # fmt: skip

    result = invoke("conditions", "--json")

    names = [each["name"] for each in json.loads(result.stdout)["guards"]["winners"]]
    assert (names[0], names[-1]) == ("raw_length", "a_last")


def test_reasons_are_those_of_each_component() -> None:
    """A condition that holds is named, and none is claimed for a component without one."""
    lines = invoke("conditions", "--set", "guard.rate_limit_per_minute=1").stdout.splitlines()

    rate_limit = next(line for line in lines if " rate_limit " in f" {line} ")
    validation = next(line for line in lines if "input_validation" in line)
    assert "its condition holds" in rate_limit
    assert "always takes part" in validation


def test_options_change_what_is_wired() -> None:
    """One sees what would be, without editing a file."""
    decisions = json.loads(invoke("conditions", "--json", "--set", "messages.language=ko").stdout)

    assert decisions["error_message_resolver"]["winners"][0]["name"] == "korean"


def test_an_ambiguous_slot_is_shown_with_its_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    """The table on standard output, the error behind it on standard error."""
    monkeypatch.setenv("OPENAI_API_KEY", "x")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "y")

    result = invoke("conditions")

    assert result.exit_code == 2
    assert "undecided" in result.stdout
    assert "To fix it: set llm.provider to 'anthropic' or 'openai'" in result.stderr


def test_what_breaks_at_import_is_not_a_winner(packages: PackageIndex) -> None:
    """The components are imported before they are shown."""
    packages.install("acme-arc", arc__hooks={"audit": "nowhere_to_be_found:Audit"})

    result = invoke("conditions", "--json")

    assert json.loads(result.stdout)["hooks"]["winners"] == []
    assert "warning: the plugin audit (acme-arc 1.0) is broken" in result.stderr


def test_a_component_that_is_offered_in_two_ways_is_listed_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As the winner if one of them wins, else with the condition of the one that asks for least."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    without = invoke("conditions").stdout.splitlines()
    monkeypatch.setenv("OPENAI_API_KEY", "hunter2")
    chosen = invoke("conditions").stdout.splitlines()

    condition = "condition not met: any of: environment variable OPENAI_API_KEY is set;"
    assert len([line for line in without if "not openai " in line and condition in line]) == 1
    assert [line for line in chosen if "not openai " in line and condition in line] == []
