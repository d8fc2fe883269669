"""Tells whether a process lives that shares a PostgreSQL: by a lock that ends with its connection.

Each process holds a session advisory lock that is named after it. The server frees it when the
operating system closes the connection, or when no answer comes on it any more; so there are no
clocks to agree about. Methods block, and are called in one thread.
"""

import errno
from hashlib import sha256

from sqlalchemy import Connection, TextClause, text

from arc_plugins.journals.sql.database import Database

__all__ = ["ExecutorLocks", "lock_key"]

_KEEPALIVES = {
    "tcp_keepalives_idle": "5",
    "tcp_keepalives_interval": "2",
    "tcp_keepalives_count": "3",
}
"""A machine without power holds its lock for eleven seconds, and not for hours."""

_TRY = text("SELECT pg_try_advisory_lock(:key)")
_FREE = text("SELECT pg_advisory_unlock(:key)")


class ExecutorLocks:
    """One connection, with the lock of this process and looks at those of others."""

    def __init__(self, database: Database, *, executor: str) -> None:
        self._database, self._executor = database, executor
        self._schema = database.own_schema()
        self._session: Connection | None = None
        self._holds_own = False

    def keep(self) -> bool:
        """Hold the lock of this process; whether the connection has lasted since the last time.

        Raises:
            SQLAlchemyError: There is no connection.
        """
        has_lasted = self._session is not None
        if self._session is None:
            self._session = self._database.session(**_KEEPALIVES)
            self._holds_own = False
        if self._holds_own:
            self._ask(text("SELECT 1"))
        else:
            self._holds_own = self._try(self._executor)
        return has_lasted

    def take(self, executor: str) -> bool:
        """Take the lock of another process; whether it was free.

        Raises:
            OSError: There is no connection, until `keep` has made one.
            SQLAlchemyError: It has broken.
        """
        return self._try(executor)

    def free(self, executor: str) -> None:
        """Free a lock that was taken; one whose connection is closed is free.

        Raises:
            SQLAlchemyError: The connection has broken.
        """
        if self._session is not None:
            self._ask(_FREE, key=lock_key(self._schema, executor))

    def close(self) -> None:
        """Close the connection, and free all locks with it."""
        session, self._session = self._session, None
        if session is not None:
            session.invalidate()
            session.close()

    def _try(self, executor: str) -> bool:
        return bool(self._ask(_TRY, key=lock_key(self._schema, executor)))

    def _ask(self, statement: TextClause, **values: int) -> object:
        """What the server says; a connection that has broken is closed, never made again here.

        SQLAlchemy would make it again without a word, and without the locks.
        """
        if self._session is None:
            raise OSError(errno.ENOTCONN, "the connection with the lock of this process is closed")
        try:
            return self._session.scalar(statement, values)
        except BaseException:
            self.close()
            raise


def lock_key(schema: str | None, executor: str) -> int:
    """The number of the lock of a process that works on the runs of a schema."""
    name = f"arc.executor.{schema}.{executor}"
    return int.from_bytes(sha256(name.encode()).digest()[:8], "big", signed=True)
