# pyright: strict, reportUnnecessaryTypeIgnoreComment=true
"""What type checkers see of `@tool`. The files of this folder are checked and never run."""

from typing import Any, assert_type

from arc_core import FunctionTool, Tool, ToolCallContext, ToolContext, tool


@tool
def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


@tool(name="search", timeout_s=2.5, category="web", cacheable=True)
async def search(query: str, context: ToolContext) -> list[str]:
    """Search the web."""
    return [query, context.run_id]


def is_large(call: ToolCallContext) -> bool:
    """Whether a person looks at it."""
    return "amount" in call.arguments


async def is_foreign(call: ToolCallContext) -> bool:
    """The same, with an answer that takes its time."""
    return "to" in call.arguments


@tool(needs_approval=is_large, once=True)
def refund(amount: int) -> None:
    """Give money back."""


tool(needs_approval=is_foreign)(refund)
tool(needs_approval=True)(refund)


class Shop:
    """Offers a method as a tool."""

    @tool
    def stock(self, article: str) -> int:
        """How many pieces there are."""
        return len(article)


def accept(tools: list[Tool]) -> None:
    """Take what the engine takes."""


assert_type(add(1, 2), int)
assert_type(add(a=1, b=2), int)
assert_type(Shop().stock("tea"), int)
assert_type(Shop.stock(Shop(), "tea"), int)

assert_type(add.name, str)
assert_type(add.timeout_s, float | None)
assert_type(refund.once, bool)
accept([add, search, Shop().stock])

tool(timeout="2 s")(add)  # type: ignore[call-overload]
tool(add, name="sum")  # type: ignore[call-overload]
tool(needs_approval="yes")(add)  # type: ignore[call-overload]
accept([print])  # type: ignore[list-item]
add.name.decode()  # type: ignore[attr-defined]


async def find(given: FunctionTool) -> None:
    """An async tool is awaited; a tool of any function is called with anything."""
    assert_type(await search("tea", ToolContext(run_id="1", call_id="2", user_id="ann")), list[str])
    assert_type(given("anything"), Any)


add("1", 2)  # type: ignore[arg-type]
add(1)  # type: ignore[call-arg]
Shop().stock(5)  # type: ignore[arg-type]
