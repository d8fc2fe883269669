"""Writes down who has used which agent, and what it has cost. Never what was said."""

import asyncio
import json
from pathlib import Path

from arc_core import AgentResult, Hook, HookContext
from globex_arc.settings import GlobexSettings

__all__ = ["UsageLog"]


class UsageLog(Hook):
    """Appends a line of JSON for each run to the file of `globex.usage_file`.

    Each line is written at once with one call, so that lines of concurrent runs do not mix.
    """

    order = 900

    def __init__(self, settings: GlobexSettings) -> None:
        self._path = Path(settings.usage_file) if settings.usage_file else None

    async def after_agent_complete(self, context: HookContext, response: AgentResult) -> None:
        """Write the line of a run that has ended, in whatever way."""
        if self._path is None:
            return
        usage = response.token_usage
        line = {
            "run_id": context.run_id,
            "agent": context.agent,
            "user_id": context.user_id,
            "tenant_id": context.tenant_id,
            "tokens": usage.total_tokens if usage else 0,
            "cost": None if response.cost is None else str(response.cost),
            "error": response.error_code,
        }
        await asyncio.to_thread(_append, self._path, json.dumps(line) + "\n")


def _append(path: Path, line: str) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write(line)
