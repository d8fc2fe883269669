"""Whether a quick stranger gets a user's words: `python -m benchmarks.session_race`.

In every attempt one user keeps the first run of a new session, while another user with the same
session id loads its history until that is done. Whatever the other user is given is a leak. Both
conversation managers are tried, in memory, in SQLite and, if `ARC_BENCH_POSTGRES_URL` is set, in
PostgreSQL, in a schema of its own. The exit status is 1 if anything leaked.
"""

import argparse
import asyncio
import logging
import os
import sys
import tempfile
from pathlib import Path

from arc_core import AgentCommand, AgentResult, ConversationManager, ConversationStore
from arc_core.log import get_logger
from arc_core.settings import LlmSettings
from arc_core.testing import ScriptedChatModel
from arc_plugins.conversations.in_memory_store import InMemoryConversationStore
from arc_plugins.conversations.managers.summarizing import SummarizingConversationManager
from arc_plugins.conversations.managers.window import WindowConversationManager
from arc_plugins.conversations.settings import HistorySettings
from benchmarks.conversations import open_store, schema_at

MANAGERS = ("window", "summarizing")
ANSWER = AgentResult(success=True, content="what the first user was told")


def manager_of(name: str, store: ConversationStore) -> ConversationManager:
    """A conversation manager on a store."""
    settings, logger = HistorySettings(), get_logger("session_race")
    if name == "window":
        return WindowConversationManager(store=store, settings=settings, logger=logger)
    return SummarizingConversationManager(
        store=store,
        chat_model=ScriptedChatModel([]),
        settings=settings,
        llm=LlmSettings(),
        logger=logger,
    )


async def attempt(manager: ConversationManager, session: str) -> bool:
    """Whether the stranger was given anything, who loads again and again until the run is kept."""
    ann = AgentCommand(user_prompt="my secret", user_id="ann", session_id=session)
    bob = AgentCommand(user_prompt="what was said?", user_id="bob", session_id=session)
    has_leaked = False
    async with asyncio.TaskGroup() as group:
        saving = group.create_task(manager.save_history(ann, ANSWER))
        while not saving.done():
            has_leaked |= bool(await manager.load_history(bob))
            await asyncio.sleep(0)
    return has_leaked


async def leaks(name: str, store: ConversationStore, *, attempts: int) -> int:
    """In how many of so many attempts something leaked through a manager."""
    manager = manager_of(name, store)
    return sum([await attempt(manager, f"{name} {number}") for number in range(attempts)])


async def report(kind: str, store: ConversationStore, *, attempts: int) -> int:
    """A line for each manager; returns how often something leaked."""
    found = 0
    for name in MANAGERS:
        count = await leaks(name, store, attempts=attempts)
        print(f"{kind:12} {name:12} {count:6} of {attempts}", flush=True)
        found += count
    return found


def options() -> argparse.Namespace:
    """What was asked for."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.session_race", description=__doc__)
    parser.add_argument("--attempts", type=int, default=10_000, help="for each manager (10000)")
    return parser.parse_args()


async def main() -> int:
    """Race in every store and report; the exit status."""
    logging.getLogger("arc").setLevel(logging.ERROR)  # every refusal would be a warning
    attempts: int = options().attempts
    found = await report("memory", InMemoryConversationStore(), attempts=attempts)
    with tempfile.TemporaryDirectory() as folder:
        async with open_store(f"sqlite:///{Path(folder, 'talk.db')}") as store:
            found += await report("SQLite", store, attempts=attempts)
    if url := os.environ.get("ARC_BENCH_POSTGRES_URL"):
        async with schema_at(url) as own, open_store(own) as store:
            found += await report("PostgreSQL", store, attempts=attempts)
    else:
        print("PostgreSQL: set ARC_BENCH_POSTGRES_URL to race there", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
