"""Where the database of the runs is."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from psycopg import pq
from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

from arc_core import ConfigurationError

__all__ = ["Address", "address_of"]

_FILE = "arc-runs.db"
_ANSWER_TIMEOUT_S = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """A database.

    Attributes:
        url: For SQLAlchemy; holds the password.
        place: For people; holds no password.
        file: The file of an SQLite database, None for a server.
        options: Of the server or of libpq, for each connection.
    """

    url: URL = field(repr=False)
    place: str
    file: Path | None = None
    options: Mapping[str, str] = field(default_factory=dict, repr=False)

    def connect_args(self, **options: str) -> dict[str, Any]:
        """For the driver.

        Args:
            options: Of the server, for these connections alone.
        """
        if self.file is not None:
            return {"timeout": _ANSWER_TIMEOUT_S}
        given = {"application_name": "arc", **self.options, **options}
        of_client = {name: given.pop(name) for name in _names_of_client() & given.keys()}
        words = [given.pop("options", "")]
        words += [f"-c {name}={_escape(text)}" for name, text in given.items()]
        return {
            "connect_timeout": _ANSWER_TIMEOUT_S,
            "tcp_user_timeout": _ANSWER_TIMEOUT_S * 1_000,
            **of_client,
            "options": " ".join(filter(None, words)),
        }


def _names_of_client() -> set[str]:
    """Options that libpq reads, as `sslrootcert`; it hands no others to the server."""
    names = {option.keyword.decode() for option in pq.Conninfo.get_defaults()}
    return names - {"application_name", "options"}


def _escape(text: str) -> str:
    """As libpq takes it, in which blanks and backslashes are escaped."""
    return "".join(f"\\{each}" if each.isspace() or each == "\\" else each for each in text)


def address_of(text: str | None, *, conversations: str | None = None) -> Address:
    """Read an address; nothing is opened.

    Args:
        text: The setting `durable.url`; None is a file beside the conversations.
        conversations: The setting `conversation.url`.

    Raises:
        ConfigurationError: The address cannot be used.
    """
    if text is None:
        return _in_file(URL.create("sqlite", database=str(_beside(conversations))))
    try:
        url = make_url(text)
    except (ArgumentError, ValueError):
        raise ConfigurationError(
            "durable.url cannot be read",
            remedy="write it as sqlite:///file.db or postgresql://user:password@host/database, "
            "special characters of a password as %XX",
        ) from None
    return _in_file(url) if url.get_backend_name() == "sqlite" else _on_server(url)


def _beside(conversations: str | None) -> Path:
    """A file in the folder of the conversations if these are in a file, else in this folder."""
    try:
        url = make_url(conversations or "sqlite://")
    except (ArgumentError, ValueError):
        return Path(_FILE)
    is_file = url.get_backend_name() == "sqlite" and url.database not in {None, "", ":memory:"}
    return Path(url.database or "").parent / _FILE if is_file else Path(_FILE)


def _in_file(url: URL) -> Address:
    name = url.database or ""
    if name in {"", ":memory:"} or url.query:
        raise ConfigurationError(
            "durable.url names no file for SQLite",
            remedy="write it as sqlite:///file.db, without options",
        )
    return Address(url=url.set(drivername="sqlite"), place=f"SQLite {name}", file=Path(name))


def _on_server(url: URL) -> Address:
    host = url.host or url.query.get("host") or "localhost"
    return Address(
        url=url.set(drivername="postgresql+psycopg", query={}),
        place=f"PostgreSQL {host}:{url.port or 5432}/{url.database or ''}",
        options={name: str(value) for name, value in url.query.items()},
    )
