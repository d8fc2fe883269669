"""`python -m support_desk` prepares the database, and keeps a server and a worker running."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import psycopg
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict

from arc_autoconfig import ArcSettings

ARC = [sys.executable, "-m", "arc_autoconfig.cli.main"]
COMMANDS = {"server": [*ARC, "serve"], "worker": [*ARC, "worker"]}
NO_DATABASE = """\
The support desk needs PostgreSQL, and {url} does not answer:
  {error}
Start one:
  docker run -d -p 5432:5432 -e POSTGRES_HOST_AUTH_METHOD=trust postgres
and name it, or the one that you have:
  export DESK_DATABASE_URL=postgresql://postgres@localhost/support_desk"""


def prepare() -> None:
    """Create the database, the tables and the customers to try it out, unless they are there."""
    url = ArcSettings().durable.url.get_secret_value()
    name = str(conninfo_to_dict(url)["dbname"])
    try:
        with psycopg.connect(url, dbname="postgres", autocommit=True, connect_timeout=5) as server:
            known = server.execute("SELECT 1 FROM pg_database WHERE datname = %s", [name])
            if not known.fetchone():
                server.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        with psycopg.connect(url) as database:
            database.execute(Path(__file__).with_name("schema.sql").read_bytes())
    except psycopg.OperationalError as error:
        sys.exit(NO_DATABASE.format(url=url.rpartition("@")[2], error=str(error).splitlines()[0]))
    subprocess.run([*ARC, "db", "upgrade"], check=True)  # noqa: S603 -- a command of ours


def start(name: str) -> int:
    """Start one of the two, and return its process."""
    process = subprocess.Popen(COMMANDS[name])  # noqa: S603 -- a command of ours
    print(f"the {name} is process {process.pid}", flush=True)
    return process.pid


def keep_running() -> None:
    """Start the server and the worker, and each of them again when it is stopped or killed."""
    for each in (signal.SIGINT, signal.SIGTERM):
        signal.signal(each, lambda *_: sys.exit())
    running = {start(name): name for name in COMMANDS}
    try:
        while True:
            pid, status = os.wait()
            name = running.pop(pid)
            if os.waitstatus_to_exitcode(status) > 0:
                sys.exit(f"the {name} has failed; what it says above is the reason")
            print(f"the {name} has ended; another one takes its place", flush=True)
            running[start(name)] = name
    finally:
        for pid in running:
            os.kill(pid, signal.SIGTERM)
        for pid in running:
            os.waitpid(pid, 0)


if __name__ == "__main__":
    os.environ.setdefault("ARC_TRUST", "1")  # the user who starts the desk trusts its settings
    prepare()
    keep_running()
