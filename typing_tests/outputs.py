# pyright: strict, reportUnnecessaryTypeIgnoreComment=true
"""What type checkers see of a program that asks for answers of a type of its own."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import Any, Literal, assert_type

from pydantic import BaseModel

from arc_autoconfig import Application, RunOptions, RunStream
from arc_core import AgentCommand, AgentEvent, AgentResult, ResponseFormat, tool


class Invoice(BaseModel):
    """A pydantic class."""

    customer: str
    total: float


@dataclass
class Point:
    """A dataclass."""

    x: int


@tool
async def convert(amount: float, *, currency: str = "EUR") -> float:
    """Convert an amount."""
    return amount * len(currency)


async def ask() -> None:
    """`execute` gives results of the type."""
    async with Application(register=[convert]) as app:
        result = await app.execute("Total?", output=Invoice, session_id="s", user_id="ann")
        assert_type(result, AgentResult[Invoice])
        assert_type(result.output, Invoice)
        assert_type(result.unwrap().total, float)
        assert_type((await app.execute("Where?", output=Point)).unwrap(), Point)
        assert_type((await app.execute("All?", output=list[Invoice])).unwrap(), list[Invoice])
        assert_type((await app.execute("How many?", output=int)).unwrap(), int)
        either: AgentResult[Invoice | Point] = await app.execute("?", output=Invoice | Point)
        assert_type(either.unwrap(), Invoice | Point)
        word: AgentResult[Literal["a"]] = await app.execute("?", output=Literal["a"])
        assert_type(word.unwrap(), Literal["a"])
        assert_type(await app.execute("Hi"), AgentResult[Any])
        assert_type(await convert(2.5, currency="USD"), float)

        result.output.sum()  # type: ignore[attr-defined]
        await app.execute("Hi", sesion_id="s")  # type: ignore[call-overload]
        await app.execute("Hi", temperature="hot")  # type: ignore[call-overload]
        await convert("2.5")  # type: ignore[arg-type]


async def follow(app: Application) -> None:
    """`stream` gives runs of the type."""
    async with app.stream("Total?", output=Invoice, user_id="ann") as run:
        assert_type(run, RunStream[Invoice])
        assert_type(run.text(), AsyncGenerator[str])
        assert_type(run.events(), AsyncGenerator[AgentEvent])
        async for invoice in run.partial_outputs():
            assert_type(invoice, Invoice)
        assert_type(await run.result(), AgentResult[Invoice])
    async with app.stream("Hi") as run_of_text:
        assert_type(run_of_text, RunStream[Any])


def script(app: Application) -> None:
    """`run` is typed the same way, and options can be kept."""
    options: RunOptions = {"user_id": "ann", "response_format": ResponseFormat.YAML}
    command = AgentCommand(user_prompt="Total?", response_schema=list[Invoice])
    assert_type(app.run(command, output=Invoice, **options), AgentResult[Invoice])
    assert_type(app.run("Hi", **options), AgentResult[Any])
