"""An application to look at in a browser: its model says what a page might stumble over."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterable, Sequence
from typing import Any

from arc_autoconfig import Application, ArcSettings
from arc_core import Agent, AssistantMessage, Reasoning, ToolCall, ToolContext, tool
from arc_core.testing import ScriptedChatModel

__all__ = [
    "HOSTILE", "ORDER", "GatedModel", "application", "booked", "list_issues", "order_shirt",
    "pay_there",
]  # fmt: skip

HOSTILE = """\
<script>document.title = "owned"</script><img src=x onerror="document.title='owned'">
[press](javascript:document.title='owned') ![seen](https://images.example/seen.png)
<javascript:alert(1)> [docs](https://docs.example/a_(b)) \u202egnp.exe\u202c \x1b[31m \u200b
"""
"""What a page must show and not do."""

ORDER = """\
Your order **4711** is on its way.

| Item | Count | Price |
|---|--:|--:|
| Mug, *blue* | 2 | 18.00 |
| Tea | 1 | 7.50 |

1. It left Seoul this morning,
2. and arrives `tomorrow`.

```python
total = 2 * 9.00 + 7.50
```
"""


class GatedModel(ScriptedChatModel):
    """Stops after the first words of a turn that has the sign ⏸, until it is let on."""

    def __init__(self, turns: Sequence[Any]) -> None:
        super().__init__(turns)
        self.gate = asyncio.Event()

    async def stream(self, request: Any) -> AsyncIterator[Any]:
        async for delta in super().stream(request):
            if "⏸" in (delta.text or ""):
                await self.gate.wait()
            else:
                yield delta


@tool
async def find_order(number: str, context: ToolContext) -> dict[str, object]:
    """Look up an order.

    Args:
        number: As on the invoice.
        context: Of the call.
    """
    await context.progress("Looking in the warehouse", fraction=0.5)
    return {"number": number, "state": "shipped", "note": HOSTILE}


@tool(needs_approval=True)
async def refund(number: str, amount: float) -> str:
    """Pay money back.

    Args:
        number: Of the order.
        amount: In euros.
    """
    return f"{amount:.2f} EUR are paid back for {number}"


_SHIRT: dict[str, Any] = {
    "type": "object",
    "properties": {
        "size": {"type": "integer", "title": "Size", "minimum": 30, "description": "In EU sizes."},
        "colour": {"enum": ["red", "blue"]},
        "express": {"type": "boolean", "default": True},
        "name": {"type": "string", "minLength": 2, "description": HOSTILE},
        "tags": {"type": "array", "items": {"type": "string"}},
        "mail": {"type": "string", "format": "email"},
    },
    "required": ["size", "colour", "express"],
}


@tool
async def order_shirt(context: ToolContext) -> str:
    """Order a shirt."""
    answer = await context.ask(f"Which shirt do you want?\n{HOSTILE}", _SHIRT)
    return f"ordered {json.dumps(answer)}"


@tool
async def pay_there(url: str, context: ToolContext) -> str:
    """Have the user pay at an address."""
    answer = await context.ask("Please pay at the bank.", {"type": "object"}, url=url)
    return f"paid {answer}"


@tool
async def list_issues(context: ToolContext) -> str:
    """List the issues of the user."""
    found = await context.credential("github")
    return f"issues by a token of {len(found.token.get_secret_value())} characters"


def booked(name: str, **arguments: object) -> Any:
    """A turn that thinks, and calls a tool."""
    call = ToolCall("c1", name, json.dumps(arguments))
    return AssistantMessage("", (call,), reasoning=(Reasoning("The customer asks for an order."),))


def application(
    *turns: Any, record: bool = False, register: Iterable[object] = (), **settings: Any
) -> tuple[Application, GatedModel]:
    """An application whose model says these turns."""
    model = GatedModel(turns)
    support = Agent("support", description="Answers customers of the tea shop.")
    desk = Agent("desk", description="Asks others.", delegates=["support"])
    app = Application(
        ArcSettings(_isolated=True, **settings),
        register=[find_order, refund, support, desk, *register],
        plugins=False,
        record=record,
    )
    app.container.chat_model.override(model)
    return app, model
