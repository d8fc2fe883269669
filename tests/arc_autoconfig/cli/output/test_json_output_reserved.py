"""With `--json` standard output holds JSON, whatever components print."""

import json
from pathlib import Path

import pytest

from tests.arc_autoconfig.cli.hostile import environment_of
from tests.forks import ForkedArc

pytestmark = pytest.mark.slow

LOUD = """
import os, subprocess
print("at import")
from arc_core import Hook, hookimpl

class Loud(Hook):
    def __init__(self):
        print("at construction")
    async def start(self):
        os.write(1, b"at start")
    async def before_agent_start(self, context):
        subprocess.run(["echo", "at run"])
        return await super().before_agent_start(context)
    async def aclose(self):
        print("at close", flush=True)

@hookimpl
def arc_register(registry):
    print("at registration")
    registry.contribute(Hook, Loud, name="loud")
"""


@pytest.mark.parametrize(
    "call",
    [["run", "hi"], ["conditions"], ["components"], ["plugins"], ["config"], ["doctor"]],
    ids=" ".join,
)
def test_prints_of_plugins_go_to_standard_error(
    call: list[str], tmp_path: Path, forked_arc: ForkedArc
) -> None:
    """At import, registration, construction, start, run and close; those of child programs too."""
    (tmp_path / "loud.py").write_text(LOUD)
    (tmp_path / "arc.toml").write_text('[plugins]\nload = ["loud"]\n')

    variables = environment_of(tmp_path, ARC_TRUST="1")

    process = forked_arc.run(*call, "--json", folder=tmp_path, variables=variables)

    assert json.loads(process.stdout)
    assert "at import" in process.stderr
    assert "at registration" in process.stderr
    assert ("at run" in process.stderr) is (call[0] == "run")


def test_wrong_usage_leaves_standard_output_as_it_was(
    tmp_path: Path, forked_arc: ForkedArc
) -> None:
    """Nothing is written there, and the reason is on standard error."""
    arguments = ("run", "--json", "--set", "nothing", "hi")

    process = forked_arc.run(*arguments, folder=tmp_path, variables=environment_of(tmp_path))

    assert process.returncode == 2
    assert process.stdout == ""
    assert "KEY=VALUE" in process.stderr
