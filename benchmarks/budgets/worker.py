"""One process with many runs at once: `worker <port> <redis url> <tenant> <cap> <runs> <seed>`.

Prints a line for each run that has ended: `ok`, its error's code, `left` if its reader went away,
or `RESERVED` if others held the rest of the budget until it gave up.
"""

import asyncio
import os
import random
import sys
from typing import Any

from arc_autoconfig import Application, ArcSettings
from arc_core import AgentCommand, Limits, tool

__all__ = ["RESERVATION_S", "settings_for"]


RESERVATION_S = 8
"""A run renews its reservation more often, however late its process is to go on."""

_RESERVED = "RESERVED"
"""The outcome of a run that may get what others hold, once they have ended."""


@tool
async def look() -> str:
    """Look at the hills."""
    await asyncio.sleep(0.02)
    return "The hills are green. " * 5


def settings_for(port: str, url: str, cap: int) -> ArcSettings:
    """An application on a budget that all processes share."""
    return ArcSettings(
        llm={
            "provider": "openai",
            "base_url": f"http://127.0.0.1:{port}/v1",
            "model": "bench-1",
            "max_output_tokens": 200,
            "system_prompt": "You look at hills. " * 10,
        },
        budget={
            "backend": "redis",
            "redis_url": url,
            "tenant_tokens_per_day": cap,
            "reserve_tokens": 600,
            "reservation_s": RESERVATION_S,
            "report_within_s": 0,  # else nothing counts what was spent just before a kill
        },
        retry={"initial_delay_s": 0.01},
        guard={"rate_limit_per_minute": 0, "rate_limit_per_hour": 0},
        concurrency={"max_concurrent_requests": 1000, "acquire_timeout_s": 60},
        conversation={"max_turns": 1},
    )


async def run_one(application: Any, tenant: str, number: int) -> str:
    """One run, which may be left early or have little time."""
    manner = random.random()
    limits = Limits(deadline_s=random.uniform(0.01, 0.5)) if manner < 0.2 else None
    command = AgentCommand(
        user_prompt=f"What do you see? {number}", user_id=f"user-{number % 7}",
        tenant_id=tenant, limits=limits,
    )  # fmt: skip
    if manner > 0.7:
        pieces = random.randint(1, 40)
        async with application.stream(command) as run:
            async for _ in run.text():
                pieces -= 1
                if not pieces:
                    return "left"
            result = await run.result()
    else:
        result = await application.execute(command)
    if "is reserved by requests" in (result.error_message or ""):
        return _RESERVED
    return "ok" if result.success else str(result.error_code)


async def run_to_the_last(application: Any, tenant: str, number: int) -> str:
    """One run, again while others hold what is left, so that the budget is wanted to its end.

    Those of killed processes hold it until their reservations end.
    """
    clock = asyncio.get_running_loop().time
    ends_at = clock() + 2 * RESERVATION_S
    while (outcome := await run_one(application, tenant, number)) == _RESERVED:
        if clock() > ends_at:
            break
        await asyncio.sleep(random.uniform(0.1, 0.4))
    return outcome


async def main(port: str, url: str, tenant: str, *, cap: int, runs: int, seed: int) -> None:
    """Run all at once."""
    random.seed(seed)
    application = Application(settings_for(port, url, cap), register=[look])
    async with application, asyncio.TaskGroup() as group:

        async def report(number: int) -> None:
            print(await run_to_the_last(application, tenant, number), flush=True)

        for number in range(runs):
            group.create_task(report(number))


if __name__ == "__main__":
    os.environ.setdefault("OPENAI_API_KEY", "sk-bench")
    port, url, tenant, *numbers = sys.argv[1:]
    cap, runs, seed = map(int, numbers)
    asyncio.run(main(port, url, tenant, cap=cap, runs=runs, seed=seed))
