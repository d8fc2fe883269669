"""`arc conditions`."""

import json

from arc_autoconfig import Application
from tests.arc_autoconfig.cli.invoking import invoke


def test_people_read_a_table() -> None:
    """Who is wired, who is not, and why, without colours in a pipe."""
    result = invoke("conditions")

    assert result.exit_code == 0
    assert "not openai" in result.stdout
    assert "environment variable OPENAI_API_KEY is set" in result.stdout
    assert "\x1b" not in result.stdout


def test_programs_read_json() -> None:
    """What the report itself says."""
    result = invoke("conditions", "--json")

    assert json.loads(result.stdout) == Application().report.to_dict()["decisions"]


def test_options_change_what_is_wired() -> None:
    """One sees what would be, without editing a file."""
    decisions = json.loads(invoke("conditions", "--json", "--set", "messages.language=ko").stdout)

    assert decisions["error_message_resolver"]["winners"][0]["name"] == "korean"
