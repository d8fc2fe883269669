"""A tool that takes its time and a hook, for workers that tests end; both say what happens."""

import asyncio
import signal
import sys

from arc_core import AgentResult, Hook, HookContext, ToolContext, tool

__all__ = ["Watch", "dig"]


def _say(*words: str) -> None:
    print(*words, file=sys.stderr, flush=True)  # noqa: T201 -- a pipe to the test


@tool
async def dig(depth: int, context: ToolContext) -> str:
    """Dig; one metre takes until the process gets SIGUSR1."""
    _say("digs", context.run_id)
    if depth == 1:
        may_end = asyncio.Event()
        asyncio.get_running_loop().add_signal_handler(signal.SIGUSR1, may_end.set)
        await may_end.wait()
    return f"dug {depth} m"


class Watch(Hook):
    """Says what hooks are told."""

    async def before_agent_start(self, context: HookContext) -> None:
        """Say so."""
        _say("starts", context.run_id)

    async def before_agent_resume(self, context: HookContext) -> None:
        """Say so."""
        _say("resumes", context.run_id)

    async def after_agent_suspend(self, context: HookContext) -> None:
        """Say so."""
        _say("leaves", context.run_id)

    async def after_agent_complete(self, context: HookContext, response: AgentResult) -> None:
        """Say so, and whether it went well."""
        _say("ends", context.run_id, str(response.success))
