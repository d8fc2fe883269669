"""Instructions that functions write."""

from collections.abc import Callable
from typing import Any

import pytest

from arc_core import ConfigurationError, Inject, RunContext
from arc_core.agents.functions import AgentFunction
from arc_core.testing import FixedRunScope


class Database:
    """What a parameter may ask for."""

    name = "orders"


def context_with(**values: Any) -> RunContext:
    """A run whose database is another one."""
    database = Database()
    database.name = values.get("name", "orders")
    return RunContext(
        run_id="1",
        agent="refunds",
        user_id="ann",
        scope=FixedRunScope({Inject[Database]: database}),
    )


async def written_by(function: Callable[..., object]) -> object:
    """What a function writes for a run."""
    return await AgentFunction(function, agent="refunds", task="write").call(context_with())


async def test_a_function_gets_what_it_asks_of_the_run() -> None:
    """Components by `Inject`, and the run itself."""

    async def write(db: Inject[Database], run: RunContext) -> str:
        return f"{db.name} of {run.user_id}"

    assert await written_by(write) == "orders of ann"


async def test_a_sync_function_writes_too() -> None:
    """A parameter that is not marked keeps its default."""

    def write(db: Inject[Database], tone: str = "kind") -> str:
        return f"{tone} {db.name}"

    assert await written_by(write) == "kind orders"


async def test_what_was_filled_once_is_not_asked_of_the_run() -> None:
    """Nor does the function it was filled from change."""

    def write(db: Inject[Database]) -> str:
        return db.name

    function = AgentFunction(write, agent="refunds", task="write")
    filled = function.fill({"db": Database()}, per_call=())

    assert await filled.call(context_with(name="other")) == "orders"
    assert await function.call(context_with(name="other")) == "other"


def _unknown(order_id: str) -> str:
    return order_id


def _positional(db: Inject[Database], /) -> str:
    return db.name


def _undefined(db: "Inject[Nowhere]") -> str:  # type: ignore[name-defined]  # noqa: F821
    return str(db)


@pytest.mark.parametrize(
    ("function", "problem"),
    [
        (_unknown, "order_id: str cannot be filled"),
        (_positional, "by its name"),
        (_undefined, "'Nowhere' is not defined"),
    ],
)
def test_a_parameter_that_nothing_could_fill_is_refused(
    function: Callable[..., object], problem: str
) -> None:
    """When the agent is made, with the names of both."""
    with pytest.raises(ConfigurationError, match=problem) as raised:
        AgentFunction(function, agent="refunds", task="write")

    assert "agent 'refunds'" in str(raised.value)
