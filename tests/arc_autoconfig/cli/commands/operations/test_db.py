"""`arc db upgrade`."""

import json
from pathlib import Path

import pytest

from tests.arc_autoconfig.cli.invoking import invoke

pytest.importorskip("sqlalchemy", reason="needs the extra sql")


def in_file(folder: Path) -> tuple[str, str]:
    """Options that keep conversations in a file."""
    return "--set", f"conversation.url=sqlite:///{folder}/talk.db"


def test_a_database_is_made_and_brought_up_to_date(tmp_path: Path) -> None:
    """The first call makes the schema, the second finds nothing to do."""
    first = invoke("db", "upgrade", *in_file(tmp_path))
    second = invoke("db", *in_file(tmp_path), "upgrade")

    assert first.stdout.endswith("talk.db: the schema has gone from none to 0007.\n")
    assert second.stdout.endswith("talk.db: the schema is up to date (0007).\n")


def test_programs_read_json(tmp_path: Path) -> None:
    """What was there and what is there now."""
    result = invoke("db", "upgrade", "--json", *in_file(tmp_path))

    done = json.loads(result.stdout)
    assert (done["before"], done["after"]) == (None, "0007")


def test_without_a_database_it_says_what_to_set() -> None:
    """Conversations in memory have no schema."""
    result = invoke("db", "upgrade")

    assert result.exit_code == 2
    assert "Set conversation.url" in result.stderr


def test_a_database_that_cannot_be_used_is_explained(tmp_path: Path) -> None:
    """As text with an exit code, and without what the address holds of secrets."""
    address = f"conversation.url=sqlite:///{tmp_path}/no/such/folder.db"

    result = invoke("db", "upgrade", "--set", address)

    assert result.exit_code == 2
    assert "cannot be opened" in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.slow
def test_an_agent_says_which_command_is_missing(tmp_path: Path) -> None:
    """Before the upgrade a run is refused, after it the conversation goes on."""
    refused = invoke("run", "hi", "--session", "s", *in_file(tmp_path))
    invoke("db", "upgrade", *in_file(tmp_path))
    done = invoke("run", "hi", "--session", "s", *in_file(tmp_path))

    assert refused.exit_code == 2
    assert "arc db upgrade" in refused.stderr
    assert done.exit_code == 0
