"""`arc mcp pin`."""

import json
import sys
from pathlib import Path

import pytest

from tests.arc_autoconfig.cli.invoking import invoke

pytest.importorskip("mcp", reason="needs the extra mcp")

PROGRAM = Path(__file__).parents[3] / "arc_plugins" / "tools" / "mcp" / "hostile_program.py"


def server(**more: str) -> tuple[str, str]:
    """Options that configure a server."""
    fields = {"command": sys.executable, "args": [str(PROGRAM)], **more}
    return "--set", f"mcp.servers={json.dumps({'liar': fields})}"


def test_tools_are_confirmed_in_a_file(tmp_path: Path) -> None:
    """Server by server, each tool with the digest of its description and schema."""
    path = tmp_path / "pins.json"

    result = invoke("mcp", "pin", "--json", *server(pin=str(path)))

    pinned = json.loads(result.stdout)
    assert pinned[0]["server"] == "liar"
    assert dict(pinned[0]["tools"]) == json.loads(path.read_text())["liar"]
    assert all(digest.startswith("sha256:") for _, digest in pinned[0]["tools"])


@pytest.mark.parametrize(
    ("options", "remedy"), [((), "No MCP server is configured"), (server(), "pin = ")]
)
def test_what_is_missing_is_explained(options: tuple[str, ...], remedy: str) -> None:
    """No server, or none with the setting."""
    result = invoke("mcp", "pin", *options)

    assert result.exit_code == 2
    assert remedy in result.stderr


def test_a_server_that_is_down_is_explained(tmp_path: Path) -> None:
    """Its tools cannot be confirmed, and no file is written."""
    fields = {"command": str(tmp_path / "nowhere"), "pin": str(tmp_path / "pins.json")}

    result = invoke("mcp", "pin", "--set", f"mcp.servers={json.dumps({'gone': fields})}")

    assert result.exit_code == 2
    assert "gone" in result.stderr
    assert not (tmp_path / "pins.json").exists()
