"""Forms, JSON Schemas, answers of models that are to have a form, and arguments of tools."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from arc_core import (
    AgentCommand,
    AgentEvent,
    AgentResult,
    AssistantMessage,
    Message,
    Reasoning,
    ResponseFormat,
    ToolCall,
    UserMessage,
    tool,
)
from arc_core.engine.answer import FinalAnswer
from arc_core.engine.answers.structured_output import Misfit, read_answer
from arc_core.errors import FormError, ToolArgumentsError
from arc_core.events import RunFinished, TextDelta
from arc_core.forms import from_json, to_json
from arc_core.tools.json_schema import find_flaw, find_problems
from benchmarks.fuzzing.target import FaultError, Target, check_text


class Order(BaseModel):
    """An order."""

    item: str = Field(pattern="^[a-z]+$", max_length=20)
    amount: Annotated[int, Field(gt=0, le=100)]
    kind: Literal["sale", "gift"] = "sale"
    parts: "list[Order]" = []
    notes: dict[str, float | str | None] = {}


@tool
async def place_order(order: Order, *, urgent: bool = False, tags: tuple[str, ...] = ()) -> str:
    """Place an order."""
    return order.item


_FORMS: dict[str, Any] = {
    "message": Message, "command": AgentCommand, "result": AgentResult, "event": AgentEvent,
}  # fmt: skip
_ANSWERS = {"json": ResponseFormat.JSON, "yaml": ResponseFormat.YAML}
_ORDER: dict[str, Any] = {
    "item": "cup", "amount": 3, "kind": "gift", "parts": [{"item": "lid", "amount": 1}],
    "notes": {"a": 1.5, "b": "x", "c": None},
}  # fmt: skip
_YAML = b"item: cup\namount: 3\nparts:\n- item: lid\n  amount: 1\nnotes: {a: 1.5, b: |\n  x\n}\n"


def _make_samples() -> list[tuple[str, bytes]]:
    call = ToolCall("c1", "find", '{"a": [1, "\\u00e9"]}')
    said = AssistantMessage(
        "Hm.", (call,), (Reasoning("So.", "c2ln"),), {"gemini": [{"text": "x"}]}
    )
    asked = AgentCommand(
        user_prompt="Hi", conversation_history=(UserMessage("A"), said), metadata={"a": [1, None]},
        response_format=ResponseFormat.JSON, response_schema=Order.model_json_schema(),
    )  # fmt: skip
    result = AgentResult(success=True, content="Yes", messages=(said,), output=_ORDER)
    values = {
        "message": (said, UserMessage("Hello")), "command": (asked,), "result": (result,),
        "event": (TextDelta("x", run_id="r"), RunFinished(result, run_id="r")),
    }  # fmt: skip
    samples = [(kind, to_json(each).encode()) for kind, all_ in values.items() for each in all_]
    schemas = [
        *(each.model_json_schema() for each in (Order, AgentCommand)),
        {"type": "array", "items": {"$ref": "#/$defs/a"}, "uniqueItems": True, "minItems": 1,
         "$defs": {"a": {"anyOf": [{"type": "string", "format": "date"}, {"enum": [1, None]}],
                         "not": {"const": 2}, "pattern": "^(a+)+$"}}},
        {"patternProperties": {"^x": {"multipleOf": 0.1}}, "additionalProperties": False,
         "if": {"required": ["x"]}, "then": {"propertyNames": {"maxLength": 3}},
         "dependentRequired": {"a": ["b"]}, "oneOf": [True, {"allOf": [{}]}], "contains": {}},
    ]  # fmt: skip
    samples += [
        ("schema", json.dumps({"schema": each, "value": value}).encode())
        for each in schemas for value in (_ORDER, ["a", 1, "a"])
    ]  # fmt: skip
    answers = [json.dumps(_ORDER).encode(), b"```json\n" + json.dumps(_ORDER).encode() + b"\n```"]
    arguments = json.dumps({"order": _ORDER, "urgent": True, "tags": ["a"]}).encode()
    samples += [("json", each) for each in answers] + [("yaml", _YAML), ("yaml", answers[0])]
    return [*samples, ("arguments", arguments)]


async def _attempt(kind: str, data: bytes) -> bool:
    text = data.decode(errors="surrogateescape" if len(data) % 2 else "replace")
    if kind in _FORMS:
        value = from_json(text, _FORMS[kind])
        if from_json(to_json(value), _FORMS[kind]) != value:
            raise FaultError("a form that was read is written as something else")
        return True
    if kind == "arguments":
        await place_order.call(place_order.parse_arguments(text), None)  # type: ignore[arg-type]
        return True
    if kind == "schema":
        problems = await _check_schema(text)
    else:
        command = AgentCommand(
            user_prompt="", response_format=_ANSWERS[kind], response_schema=Order
        )
        reading = await read_answer(FinalAnswer(content=text), command)
        problems = reading.problems if isinstance(reading, Misfit) else ()
    for problem in problems:
        check_text(problem)
    return not problems


async def _check_schema(text: str) -> list[str]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return ["not JSON"]
    if not isinstance(found, dict) or not isinstance(schema := found.get("schema"), dict):
        return ["not a schema"]
    if flaw := find_flaw(schema):
        return [flaw]
    return await find_problems(found.get("value"), schema, root="answer")


@asynccontextmanager
async def open_target() -> AsyncIterator[Target]:
    """All that reads JSON by a declaration."""
    yield Target(
        samples=_make_samples(), attempt=_attempt, refusals=(FormError, ToolArgumentsError)
    )
