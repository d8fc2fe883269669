"""Every command, with every built-in component configured."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from arc_autoconfig.cli.main import COMMANDS, arc
from arc_autoconfig.cli.options import json_option
from tests.arc_autoconfig.cli.hostile import arc_in
from tests.arc_autoconfig.cli.invoking import invoke
from tests.arc_autoconfig.cli.shared_journals import OPTIONS

SERVER = Path(__file__).parents[2] / "arc_plugins" / "tools" / "mcp" / "server_program.py"

SETTINGS = f"""
[llm]
provider = "offline"
[guard]
rate-limit-per-minute = 100
[cache]
enabled = true
[conversation]
url = "sqlite:///conversations.db"
summarize = true
[tools]
builtin = ["calculate", "current_time"]
selector = "lexical"
[rag]
path = "documents.db"
[mcp.servers.files]
command = {json.dumps(sys.executable)}
args = [{json.dumps(str(SERVER))}, "stdio", "files"]
pin = "arc-mcp.json"
[audit]
enabled = true
[telemetry]
metrics = true
traces = true
[webhook]
url = "http://127.0.0.1:9/hook"
timeout-s = 0.5
[response]
max-length = 1000
[budget]
tenant-tokens-per-day = 1000000
"""

CALLS: dict[str, list[str]] = {
    "run": ["run", "--json", "What is 2+2?"],
    "chat": ["chat"],
    "agents": ["agents", "--json"],
    "conditions": ["conditions", "--json"],
    "runs": ["runs", "list", "--json", *OPTIONS],
    "eval": ["eval", "--help"],  # it needs cases
    "replay": ["replay", "--help"],  # it needs a file
    "serve": ["serve", "--help"],  # it ends only when it is told to
    "worker": ["worker", "--help"],  # it ends only when it is told to
    "components": ["components", "--json"],
    "plugins": ["plugins", "--json"],
    "plugin": ["plugin", "new", "acme-pii"],
    "trust": ["trust", "--list", "--json"],
    "config": ["config", "--json"],
    "doctor": ["doctor", "--json"],
    "db": ["db", "upgrade", "--json"],
    "budget": ["budget", "show", "--json"],
    "mcp": ["mcp", "pin", "--json"],
    "credentials": ["credentials", "--help"],  # it needs a database and a key
    "docs": ["docs", "list", "--json"],
}


def test_no_command_is_left_out() -> None:
    """A new command is called here, too."""
    assert CALLS.keys() == COMMANDS.keys()


def json_options(command: click.Command) -> Iterator[click.Parameter]:
    """The option `--json` of a command and of those below it."""
    yield from (each for each in command.params if "--json" in each.opts)
    for below in getattr(command, "commands", {}).values():
        yield from json_options(below)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_json_option_keeps_standard_output_for_json(name: str) -> None:
    """Each is the shared one, so that no print of a plugin gets in between."""
    command = arc.get_command(click.Context(arc), name)
    (shared,) = json_options(click.command("any")(json_option(lambda: None)))

    assert command is not None
    assert all(each.callback is shared.callback for each in json_options(command))


@pytest.mark.slow
@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())
def test_it_works_with_everything_configured(
    call: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It ends well, and prints JSON alone when it is asked for."""
    Path("arc.toml").write_text(SETTINGS, "utf-8")
    monkeypatch.setenv("ARC_TRUST", "1")
    if call[0] != "db":
        invoke("db", "upgrade")
        Path("page.md").write_text("# Two\n\nTwo and two are four.\n", "utf-8")
        invoke("docs", "add", "page.md")

    if call[0] == "chat":  # reads the standard input of a process
        assert arc_in(Path.cwd(), *call, home=Path.cwd(), ARC_TRUST="1").returncode == 0
        return
    result = invoke(*call)

    assert result.exit_code == 0, result.output
    if "--json" in call:
        json.loads(result.stdout)
