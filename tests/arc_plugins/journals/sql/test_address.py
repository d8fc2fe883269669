"""Where the database of the runs is."""

from pathlib import Path

import pytest

pytest.importorskip("dbos", reason="needs the extra durable")

from arc_core import ConfigurationError
from arc_plugins.journals.sql.address import address_of


@pytest.mark.parametrize(
    ("conversations", "file"),
    [
        (None, "arc-runs.db"),
        ("sqlite:///data/conversations.db", "data/arc-runs.db"),
        ("postgresql://ann:secret@db/arc", "arc-runs.db"),
    ],
)
def test_a_file_stands_beside_the_conversations(conversations: str | None, file: str) -> None:
    """In this folder if these are not in a file."""
    assert address_of(None, conversations=conversations).file == Path(file)


def test_a_server_is_reached_by_psycopg() -> None:
    """With its options, and named without the password."""
    address = address_of(
        "postgresql://ann:secret@db/arc?search_path=a b&sslmode=verify-full&sslrootcert=/ca.pem"
    )

    assert address.url.drivername == "postgresql+psycopg"
    assert address.place == "PostgreSQL db:5432/arc"
    assert "secret" not in repr(address)
    arguments = address.connect_args(idle="5")
    assert arguments["options"] == r"-c application_name=arc -c search_path=a\ b -c idle=5"
    assert (arguments["sslmode"], arguments["sslrootcert"]) == ("verify-full", "/ca.pem")


def test_options_of_the_client_are_not_handed_to_the_server() -> None:
    """Certificates, sockets and the line `options` go where libpq looks for them."""
    text = (
        "postgresql:///arc?host=/run/postgresql&sslrootcert=/ca.pem&options=-c%20search_path=shop"
    )
    address = address_of(text)

    arguments = address.connect_args()
    assert (arguments["host"], arguments["sslrootcert"]) == ("/run/postgresql", "/ca.pem")
    assert arguments["options"] == "-c search_path=shop -c application_name=arc"
    assert address.place == "PostgreSQL /run/postgresql:5432/arc"


@pytest.mark.parametrize("text", ["sqlite://", "sqlite:///:memory:", "sqlite:///a.db?mode=ro", "x"])
def test_other_addresses_are_refused(text: str) -> None:
    """The message names the setting."""
    with pytest.raises(ConfigurationError, match=r"durable\.url"):
        address_of(text)
