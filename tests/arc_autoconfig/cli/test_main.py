"""The command itself: quick, and complete."""

import subprocess
import sys

import pytest

from tests.arc_autoconfig.cli.invoking import invoke


def test_help_names_every_command() -> None:
    """Also without a word behind `arc`."""
    result = invoke("--help")

    assert result.exit_code == 0
    assert all(name in result.output for name in ("run", "chat", "conditions", "plugins"))
    assert invoke().stderr.startswith("Usage:")


def test_version() -> None:
    """The distribution and its version."""
    assert invoke("--version").output.startswith("arc-agents 0.")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "unwanted"),
    [
        (["--help"], {"pydantic", "rich", "pluggy", "structlog", "openai", "anthropic"}),
        (["run", "--set", "llm.provider=offline", "2+2"], {"openai", "anthropic"}),
    ],
    ids=["help", "run"],
)
def test_what_is_not_needed_is_not_imported(arguments: list[str], unwanted: set[str]) -> None:
    """Help needs neither the core nor a vendor's library, the offline model no vendor's."""
    code = (
        "import sys\n"
        "from arc_autoconfig.cli.main import arc\n"
        f"arc({arguments!r}, standalone_mode=False)\n"
        "print(*sys.modules, file=sys.stderr)"
    )

    process = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )

    assert unwanted.isdisjoint(process.stderr.split())
