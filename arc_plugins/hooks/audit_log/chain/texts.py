"""The texts beside an audit log, which can be erased without a change of the log.

A line has, in the place of a text, its HMAC-SHA-256 under a key of the person of the run, and in
the place of the person a random name. Keys and names stand here, and texts if they are wanted. Once
a person is forgotten, it is not known any more whose the lines are, and texts cannot be guessed.
"""

import hmac
import secrets
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

_TABLES = """
CREATE TABLE IF NOT EXISTS people (
    person TEXT PRIMARY KEY, tenant_id TEXT NOT NULL, user_id TEXT NOT NULL, key BLOB NOT NULL,
    UNIQUE (tenant_id, user_id));
CREATE TABLE IF NOT EXISTS texts (
    digest TEXT PRIMARY KEY, person TEXT NOT NULL, text TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS texts_of_people ON texts (person);
"""
_FIND = "SELECT person, key FROM people WHERE tenant_id = ? AND user_id = ?"
_BUSY_TIMEOUT_S = 30.0


@dataclass(slots=True)
class Person:
    """A person as the log names them, with the texts that one record has of them.

    Attributes:
        name: Random, the same in all their lines.
        key: The secret of their digests.
        texts: Texts by their digests.
    """

    name: str
    key: bytes
    texts: dict[str, str] = field(default_factory=dict)

    def digest(self, text: str) -> str:
        """Return the digest of a text, and remember the text."""
        data = text.encode("utf-8", "surrogatepass")
        found = hmac.digest(self.key, data, "sha256").hex()
        self.texts[found] = text.encode("utf-8", "replace").decode("utf-8")
        return found


class TextStore:
    """Keeps the people and texts of a log in a file of SQLite, which processes may share."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def find(self, tenant_id: str | None, user_id: str | None) -> Person:
        """Return a person, who is new if the store does not know them."""
        key = (tenant_id or "", user_id or "")
        new = (secrets.token_hex(8), *key, secrets.token_bytes(32))
        with self._open() as database:
            found = database.execute(_FIND, key).fetchone()
            if found is None:
                database.execute("INSERT OR IGNORE INTO people VALUES (?, ?, ?, ?)", new)
                found = database.execute(_FIND, key).fetchone()
        return Person(*found)

    def keep(self, person: Person) -> None:
        """Keep the texts of a person, unless they were forgotten meanwhile."""
        rows = [(digest, person.name, text, person.name) for digest, text in person.texts.items()]
        with self._open() as database:
            database.executemany(
                "INSERT OR IGNORE INTO texts SELECT ?, ?, ? "
                "WHERE EXISTS (SELECT 1 FROM people WHERE person = ?)",
                rows,
            )

    def forget(self, tenant_id: str | None, user_id: str) -> bool:
        """Erase a person with all their texts; returns if there was one."""
        with self._open() as database:
            found = database.execute(
                "DELETE FROM people WHERE tenant_id = ? AND user_id = ? RETURNING person",
                (tenant_id or "", user_id),
            ).fetchall()
            database.executemany("DELETE FROM texts WHERE person = ?", found)
        return bool(found)

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        """The database in a transaction; what is erased is overwritten."""
        self._path.touch(mode=0o600)
        with closing(sqlite3.connect(self._path, timeout=_BUSY_TIMEOUT_S)) as database:
            database.execute("PRAGMA secure_delete = ON")
            database.executescript(_TABLES)
            with database:
                yield database


def get_texts_path(log: Path) -> Path:
    """Return the place of the texts of a log."""
    return log.with_name(f"{log.name}-texts.db")
