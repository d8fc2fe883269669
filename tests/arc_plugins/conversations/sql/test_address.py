"""`conversation.url` as drivers want it, and as people may see it."""

import pytest

pytest.importorskip("sqlalchemy", reason="needs the extra sql")

from arc_core import ConfigurationError
from arc_plugins.conversations.sql import address
from arc_plugins.conversations.sql.address import address_of


@pytest.mark.parametrize("scheme", ["sqlite", "sqlite+aiosqlite"])
def test_a_file_is_opened_by_its_driver(scheme: str) -> None:
    """With or without the driver's name."""
    found = address_of(f"{scheme}:///talk.db")

    assert found.url.drivername == "sqlite+aiosqlite"
    assert str(found.file) == "talk.db"
    assert found.place == "SQLite talk.db"


@pytest.mark.parametrize("url", ["sqlite://", "sqlite:///:memory:", "sqlite:///a.db?mode=memory"])
def test_a_database_in_memory_is_refused(url: str) -> None:
    """Every connection would see one of its own."""
    with pytest.raises(ConfigurationError, match="remove the setting"):
        address_of(url)


@pytest.mark.parametrize("scheme", ["postgres", "postgresql", "postgresql+asyncpg"])
def test_a_server_is_reached_by_its_driver(scheme: str) -> None:
    """Whatever form hosting providers write the address in."""
    found = address_of(f"{scheme}://ann:secret@db.example:5433/talk")

    assert found.url.drivername == "postgresql+asyncpg"
    assert found.file is None
    assert found.place == "PostgreSQL db.example:5433/talk"


def test_options_of_a_server_are_passed_on() -> None:
    """`sslmode` goes to the driver, all else to the server."""
    found = address_of("postgresql://db/talk?sslmode=require&search_path=arc")

    assert found.connect_args["ssl"] == "require"
    assert found.connect_args["server_settings"]["search_path"] == "arc"
    assert not found.url.query


def test_psycopg_is_used_if_it_is_named() -> None:
    """With the options of the server as libpq takes them, and `sslmode` beside them."""
    found = address_of("postgresql+psycopg://db/talk?sslmode=require&search_path=a,%20b")

    assert found.url.drivername == "postgresql+psycopg"
    assert found.connect_args["sslmode"] == "require"
    assert found.connect_args["options"] == r"-c application_name=arc -c search_path=a,\ b"
    assert not found.url.query


def test_a_password_is_not_shown() -> None:
    """Neither in the place nor in the representation."""
    found = address_of("postgresql://ann:s3cret@db/talk?password=s3cret")

    assert "s3cret" not in f"{found!r} {found.place}"


@pytest.mark.parametrize("url", ["postgresql://ann:s3cret@db:port/talk", "s3cret"])
def test_what_cannot_be_read_is_not_shown(url: str) -> None:
    """The error says how to write it, and not what was written."""
    with pytest.raises(ConfigurationError, match="cannot be read") as caught:
        address_of(url)

    assert "s3cret" not in str(caught.value)
    assert caught.value.__suppress_context__


def test_a_missing_driver_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """The extra `sql` alone does not reach PostgreSQL."""
    monkeypatch.setattr(address, "find_spec", lambda _name: None)

    with pytest.raises(ConfigurationError, match=r'pip install "arc-agents\[postgres\]"'):
        address_of("postgresql://db/talk")
    with pytest.raises(ConfigurationError, match=r'pip install "arc-agents\[psycopg\]"'):
        address_of("postgresql+psycopg://db/talk")
