"""Where the database is: reads `conversation.url`, and says how its driver is called."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

from arc_core import ConfigurationError

__all__ = ["BUSY_TIMEOUT_S", "Address", "address_of"]

BUSY_TIMEOUT_S = 4.0
"""How long SQLite waits for another writer, and PostgreSQL for a connection or an answer."""

Arguments = Mapping[str, Any]
_BLANK_OR_BACKSLASH = re.compile(r"[\\\s]")
_ESCAPED = r"\\\g<0>"


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """A database.

    Attributes:
        url: For SQLAlchemy; holds the password.
        place: For people; holds no password.
        file: The file of an SQLite database, None for a server.
        connect_args: For the driver.
        answer_args: For the driver, too, if no statement may take long.
    """

    url: URL = field(repr=False)
    place: str
    file: Path | None = None
    connect_args: Arguments = field(repr=False)
    answer_args: Arguments = field(default_factory=dict, repr=False)


def address_of(text: str) -> Address:
    """Read an address; nothing is opened.

    Raises:
        ConfigurationError: The address cannot be used, or its driver is not installed.
    """
    try:
        url = make_url(text)
    except (ArgumentError, ValueError):
        raise ConfigurationError(
            "conversation.url cannot be read",
            remedy="write it as sqlite:///file.db or postgresql://user:password@host/database, "
            "special characters of a password as %XX",
        ) from None
    return _file(url) if url.get_backend_name() == "sqlite" else _server(url)


def _file(url: URL) -> Address:
    name = url.database or ""
    if name in {"", ":memory:"} or url.query:
        raise ConfigurationError(
            "conversation.url names no file for SQLite",
            remedy="write it as sqlite:///file.db, without options; to keep conversations in "
            "memory, remove the setting",
        )
    return Address(
        url=url.set(drivername="sqlite+aiosqlite"),
        place=f"SQLite {name}",
        file=Path(name),
        connect_args={"timeout": BUSY_TIMEOUT_S},
    )


def _server(url: URL) -> Address:
    """PostgreSQL by asyncpg, unless the address names psycopg."""
    by_psycopg = url.drivername == "postgresql+psycopg"
    driver = "psycopg" if by_psycopg else "asyncpg"
    if find_spec(driver) is None:
        raise ConfigurationError(
            "conversation.url names a PostgreSQL, which cannot be reached from here",
            evidence=[f"the package {driver} is not installed"],
            remedy=f'pip install "arc-agents[{"psycopg" if by_psycopg else "postgres"}]"',
        )
    options = {"application_name": "arc", **url.query}
    ssl = options.pop("sslmode", None) or options.pop("ssl", None)
    connect_args, answer_args = (_psycopg if by_psycopg else _asyncpg)(options, ssl)
    return Address(
        url=url.set(drivername=f"postgresql+{driver}", query={}),
        place=f"PostgreSQL {url.host or 'localhost'}:{url.port or 5432}/{url.database or ''}",
        connect_args=connect_args,
        answer_args=answer_args,
    )


def _asyncpg(options: Mapping[str, Any], ssl: object) -> tuple[Arguments, Arguments]:
    connect_args = {
        "timeout": BUSY_TIMEOUT_S,
        "server_settings": options,
        **({"ssl": ssl} if ssl else {}),
    }
    return connect_args, {"command_timeout": BUSY_TIMEOUT_S}


def _psycopg(options: Mapping[str, Any], ssl: object) -> tuple[Arguments, Arguments]:
    milliseconds = round(BUSY_TIMEOUT_S * 1_000)
    connect_args = {
        "connect_timeout": round(BUSY_TIMEOUT_S),
        "options": _command_line(options),
        **({"sslmode": ssl} if ssl else {}),
    }
    return connect_args, {
        "options": _command_line({"statement_timeout": milliseconds, **options}),
        "tcp_user_timeout": milliseconds,
    }


def _command_line(options: Mapping[str, Any]) -> str:
    """Options of the server as libpq takes them, in which blanks and backslashes are escaped."""
    return " ".join(
        f"-c {name}={_BLANK_OR_BACKSLASH.sub(_ESCAPED, str(value))}"
        for name, value in options.items()
    )
