"""What durable runs hold: `python -m benchmarks.durable matrix`; `--help` lists the others.

Each of them needs a database, or makes one: SQLite in a temporary folder, and PostgreSQL if
`ARC_TEST_POSTGRES_URL` names one in which a database may be made.
"""

import argparse
import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

from benchmarks.durable import (
    costs,
    cuts,
    handover,
    jitter,
    many_workers,
    matrix,
    restarts,
    streams,
    takeover,
    upgrade,
    waiting,
    wakeups,
    zombie,
)

_COMMANDS: dict[str, Callable[[argparse.Namespace], Coroutine[Any, Any, None]]] = {
    "matrix": matrix.run,
    "jitter": jitter.run,
    "workers": many_workers.run,
    "waiting": waiting.run,
    "cost": costs.run,
    "wakeups": wakeups.run,
    "streams": streams.run,
    "restarts": restarts.run,
    "cuts": cuts.run,
    "handover": handover.run,
    "takeover": takeover.run,
    "zombie": zombie.run,
    "upgrade": upgrade.run,
}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.durable", description=__doc__)
    parser.add_argument("command", choices=_COMMANDS)
    parser.add_argument("--runs", type=int, default=0, help="how many; 0 is what is usual")
    parser.add_argument("--kills", type=int, default=0, help="how many; 0 is what is usual")
    parser.add_argument("--database", choices=["sqlite", "postgres", "both"], default="both")
    parser.add_argument("--points", nargs="*", default=[], help="of the matrix; all of them")
    parser.add_argument("--older", type=Path, help="for upgrade: a folder with the version before")
    options = parser.parse_args()
    asyncio.run(_COMMANDS[options.command](options))


if __name__ == "__main__":
    main()
