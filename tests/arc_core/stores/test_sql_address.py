"""Addresses of databases as drivers want them, and as people may see them."""

import traceback

import pytest

pytest.importorskip("sqlalchemy", reason="needs the extra sql")

from arc_core import ConfigurationError
from arc_core.stores import sql
from arc_core.stores.sql import SqlAddress, read_sql_address


def read(text: str, *, is_async: bool = True) -> SqlAddress:
    """An address of a setting."""
    return read_sql_address(text, setting="conversation.url", is_async=is_async)


@pytest.mark.parametrize(
    ("scheme", "is_async", "driver"),
    [
        ("sqlite", True, "sqlite+aiosqlite"),
        ("sqlite+aiosqlite", True, "sqlite+aiosqlite"),
        ("sqlite", False, "sqlite"),
    ],
)
def test_a_file_is_opened_by_its_driver(scheme: str, *, is_async: bool, driver: str) -> None:
    """With or without the driver's name."""
    found = read(f"{scheme}:///talk.db", is_async=is_async)

    assert found.url.drivername == driver
    assert str(found.file) == "talk.db"
    assert found.place == "SQLite talk.db"


@pytest.mark.parametrize("url", ["sqlite://", "sqlite:///:memory:", "sqlite:///a.db?mode=memory"])
def test_a_database_in_memory_is_refused(url: str) -> None:
    """Every connection would see one of its own."""
    with pytest.raises(ConfigurationError, match="without options"):
        read(url)


@pytest.mark.parametrize("scheme", ["postgres", "postgresql", "postgresql+asyncpg"])
@pytest.mark.parametrize("is_async", [True, False])
def test_a_server_is_reached_by_its_driver(scheme: str, *, is_async: bool) -> None:
    """Whatever form hosting providers write the address in."""
    pytest.importorskip("psycopg")
    found = read(f"{scheme}://ann:secret@db.example:5433/talk", is_async=is_async)

    assert found.url.drivername == f"postgresql+{'asyncpg' if is_async else 'psycopg'}"
    assert found.file is None
    assert found.place == "PostgreSQL db.example:5433/talk"


def test_options_of_a_server_are_passed_on() -> None:
    """`sslmode` goes to the driver, all else to the server."""
    found = read("postgresql://db/talk?sslmode=require&search_path=arc")

    assert found.connect_args()["ssl"] == "require"
    assert found.connect_args()["server_settings"]["search_path"] == "arc"
    assert not found.url.query


def test_psycopg_is_used_if_it_is_named() -> None:
    """With the options of the server as libpq takes them, and `sslmode` beside them."""
    found = read("postgresql+psycopg://db/talk?sslmode=require&search_path=a,%20b")

    assert found.url.drivername == "postgresql+psycopg"
    assert found.connect_args()["sslmode"] == "require"
    assert found.connect_args()["options"] == r"-c application_name=arc -c search_path=a,\ b"
    assert not found.url.query


def test_a_password_is_not_shown() -> None:
    """Neither in the place nor in the representation."""
    found = read("postgresql://ann:s3cret@db/talk?password=s3cret")

    assert "s3cret" not in f"{found!r} {found.place}"


def test_options_of_the_client_are_not_handed_to_the_server() -> None:
    """Certificates, sockets and the line `options` go where libpq looks for them."""
    text = (
        "postgresql:///arc?host=/run/postgresql&sslrootcert=/ca.pem&options=-c%20search_path=shop"
    )
    found = read(text, is_async=False)

    arguments = found.connect_args({"idle": "5"})
    assert (arguments["host"], arguments["sslrootcert"]) == ("/run/postgresql", "/ca.pem")
    assert arguments["options"] == "-c search_path=shop -c application_name=arc -c idle=5"
    assert found.place == "PostgreSQL /run/postgresql:5432/arc"


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://ann:hunter2@db:port/talk",
        "postgresql://ann:hunter2secret@db:99999x/talk",
        "postgresql://ann:p@hunter2@db/talk",
        "postgresql+psycopg://ann:p@ss/hunter2@db/talk",
        "host=hunter2 password=hunter2",
        "hunter2",
    ],
)
@pytest.mark.parametrize("is_async", [True, False])
def test_a_malformed_address_never_shows_its_password(address: str, *, is_async: bool) -> None:
    """The error says how to write it, and not what was written; a traceback neither."""
    with pytest.raises(ConfigurationError, match="cannot be read") as caught:
        read(address, is_async=is_async)

    assert "hunter2" not in "".join(traceback.format_exception(caught.value))
    assert caught.value.__context__ is None


def test_a_missing_driver_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """The extra `sql` alone does not reach PostgreSQL."""
    monkeypatch.setattr(sql, "find_spec", lambda _name: None)

    with pytest.raises(ConfigurationError, match=r'pip install "arc-agents\[postgres\]"'):
        read("postgresql://db/talk")
    with pytest.raises(ConfigurationError, match=r'pip install "arc-agents\[psycopg\]"'):
        read("postgresql+psycopg://db/talk")
