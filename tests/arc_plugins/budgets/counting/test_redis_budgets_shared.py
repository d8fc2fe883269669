"""One budget in Redis, and four processes that all want it."""

import asyncio
from contextlib import ExitStack

import pytest
from pydantic import SecretStr

from arc_core.testing.conformance.components import running
from tests.arc_plugins.budgets.counting.counted import held, settings, spender
from tests.arc_plugins.ready_processes import ready_process

redis = pytest.importorskip("redis", reason="needs the extra redis")
from arc_plugins.budgets.counting.redis_budgets import RedisBudgets  # noqa: E402

pytestmark = pytest.mark.slow

_PROCESS = """
import asyncio, random, sys, uuid
from pydantic import SecretStr
from arc_core import Amount, Reserved, Spender
from arc_plugins.budgets.counting.redis_budgets import RedisBudgets
from arc_plugins.budgets.settings import BudgetLimitSettings

def tokens(number):
    return Amount(tokens=number)

async def run(budgets, chance):
    number = uuid.uuid4().hex
    spender = Spender(reservation_id=number, run_id=number, tenant_id="acme")
    reply, spent = await budgets.reserve(spender, amount=tokens(50), least=tokens(1)), 0
    while isinstance(reply, Reserved) and spent < 400:
        spent += chance.randint(1, reply.held.tokens)
        if chance.random() < 0.3:  # as a call that is made again
            await budgets.extend(spender, spent=tokens(spent), hold=tokens(0))
        reply = await budgets.extend(spender, spent=tokens(spent), hold=tokens(50))
    if chance.random() < 0.9:  # the others die
        await budgets.settle(spender, spent=tokens(spent))
    return spent

async def main(url, prefix, seed):
    budgets = RedisBudgets(
        settings=BudgetLimitSettings(
            tenant_tokens_per_day=50_000, reservation_s=5, redis_url=SecretStr(url)
        ),
        prefix=prefix,
    )
    chance = random.Random(seed)
    print("ready", flush=True)
    sys.stdin.readline()
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(run(budgets, chance)) for _ in range(150)]
    await budgets.aclose()
    print(sum(task.result() for task in tasks))

asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3])))
"""


def made(url: str, prefix: str) -> RedisBudgets:
    """The budget that all of them want."""
    return RedisBudgets(
        settings=settings(tenant_tokens_per_day=50_000, redis_url=SecretStr(url)), prefix=prefix
    )


def spend_in_processes(url: str, prefix: str) -> int:
    """What 600 runs of up to 400 tokens in four processes say that they have spent."""
    with ExitStack() as stack:
        processes = [
            stack.enter_context(ready_process(_PROCESS, url, prefix, str(seed)))
            for seed in range(4)
        ]
        return sum(int(process.communicate("go\n", timeout=90)[0]) for process in processes)


async def test_four_processes_spend_no_token_too_many(url: str, prefix: str) -> None:
    """Of 600 runs, a tenth of which die without settling; what they held comes back."""
    told = await asyncio.to_thread(spend_in_processes, url, prefix)
    async with running(made(url, prefix)) as budgets:
        (state,) = await budgets.states()
        async with asyncio.timeout(30):
            while state.reserved:
                (state,) = await budgets.states()
        left = await held(budgets, spender(), 60_000)

    assert state.spent == told <= 50_000
    assert told > 40_000, "the budget was not wanted by all of them"
    assert left == 50_000 - told
