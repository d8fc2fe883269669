"""What serving costs and holds: `python -m benchmarks.serving load`; `--help` lists the others.

Only ratios within one run mean anything. `latency` reads across processes if
`ARC_TEST_POSTGRES_URL` names a PostgreSQL in which a database may be made.
"""

import argparse
import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from benchmarks.serving import latency, leaving, load

_COMMANDS: dict[str, Callable[[argparse.Namespace], Coroutine[Any, Any, None]]] = {
    "load": load.run,
    "latency": latency.run,
    "leaving": leaving.run,
}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.serving", description=__doc__)
    parser.add_argument("command", choices=_COMMANDS)
    parser.add_argument("--streams", type=int, default=200, help="at once (200)")
    parser.add_argument("--rounds", type=int, default=2, help="of which the best counts (2)")
    parser.add_argument("--connections", type=int, default=1000, help="that leave, a round (1000)")
    options = parser.parse_args()
    asyncio.run(_COMMANDS[options.command](options))


if __name__ == "__main__":
    main()
