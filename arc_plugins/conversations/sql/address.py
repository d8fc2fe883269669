"""Where the database is: reads `conversation.url`, and says how its driver is called."""

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """A database.

    Attributes:
        url: For SQLAlchemy; holds the password.
        place: For people; holds no password.
        file: The file of an SQLite database, None for a server.
        connect_args: For the driver.
    """

    url: URL = field(repr=False)
    place: str
    file: Path | None = None
    connect_args: Mapping[str, Any] = field(repr=False)


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
    if find_spec("asyncpg") is None:
        raise ConfigurationError(
            "conversation.url names a PostgreSQL, which cannot be reached from here",
            evidence=["the package asyncpg is not installed"],
            remedy='pip install "arc-agents[postgres]"',
        )
    options = dict(url.query)
    ssl = options.pop("sslmode", None) or options.pop("ssl", None)
    return Address(
        url=url.set(drivername="postgresql+asyncpg", query={}),
        place=f"PostgreSQL {url.host or 'localhost'}:{url.port or 5432}/{url.database or ''}",
        connect_args={
            "timeout": BUSY_TIMEOUT_S,
            "server_settings": {"application_name": "arc", **options},
            **({"ssl": ssl} if ssl else {}),
        },
    )
