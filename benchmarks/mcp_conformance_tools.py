"""The tools that the conformance suite of MCP for servers wants, as ordinary ones of Arc.

Where it wants a tool that asks a client for something which Arc asks no client for, there is none.
"""

import asyncio
import base64
import json
from collections.abc import Mapping
from typing import Any

from arc_core import Attachment, Content, Text, Tool, ToolContext, ToolRetry, tool

_A_WHILE_S = 1.5
"""Seconds after which a call has become a task."""
_PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
)
_SOUND = base64.b64decode("UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=")


def make_form(*required: str, **fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema of an answer."""
    schema: dict[str, Any] = {"type": "object", "properties": fields}
    return schema | ({"required": list(required)} if required else {})


_TEXT = {"type": "string"}
_IMAGE = Attachment(media_type="image/png", data=_PIXEL, name="pixel.png")


@tool
async def test_simple_text() -> str:
    """Return a text."""
    return "This is a simple text response for testing."


@tool
async def test_image_content() -> Attachment:
    """Return an image."""
    return _IMAGE


@tool
async def test_audio_content() -> Attachment:
    """Return a sound."""
    return Attachment(media_type="audio/wav", data=_SOUND)


@tool
async def test_embedded_resource() -> Attachment:
    """Return a file."""
    data = b"This is an embedded resource content."
    return Attachment(media_type="text/plain", data=data, name="note.txt")


@tool
async def test_multiple_content_types() -> Content:
    """Return a text, an image and a file."""
    data = Attachment(media_type="application/json", data=b'{"test":"data","value":123}')
    return (Text("Multiple content types test:"), _IMAGE, data)


@tool
async def test_error_handling() -> str:
    """Fail."""
    raise ToolRetry("This tool intentionally returns an error for testing")


@tool
async def test_tool_with_progress(context: ToolContext) -> str:
    """Report progress."""
    for done in (0, 50, 100):
        await context.progress(f"{done} of 100", done / 100)
        await asyncio.sleep(0.05)
    return "done"


async def ask(context: ToolContext, text: str, form: Mapping[str, Any]) -> str:
    """Ask the user, and return the answer in words."""
    return f"Elicitation completed: {json.dumps(dict(await context.ask(text, form)))}"


@tool
async def test_elicitation(message: str, context: ToolContext) -> str:
    """Ask for a name and an address."""
    return await ask(context, message, make_form("username", "email", username=_TEXT, email=_TEXT))


@tool
async def test_elicitation_sep1034_defaults(context: ToolContext) -> str:
    """Ask with defaults."""
    form = make_form(
        name={"type": "string", "default": "John Doe"},
        age={"type": "integer", "default": 30},
        score={"type": "number", "default": 95.5},
        status={"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
        verified={"type": "boolean", "default": True},
    )
    return await ask(context, "Is this right?", form)


@tool
async def test_elicitation_sep1330_enums(context: ToolContext) -> str:
    """Ask for choices of every kind."""
    names = [f"option{number}" for number in (1, 2, 3)]
    titled = [{"const": f"value{number}", "title": f"Option {number}"} for number in (1, 2, 3)]
    form = make_form(
        untitledSingle={"type": "string", "enum": names},
        titledSingle={"type": "string", "oneOf": titled},
        legacyEnum={"type": "string", "enum": ["opt1", "opt2"], "enumNames": ["One", "Two"]},
        untitledMulti={"type": "array", "items": {"type": "string", "enum": names}},
        titledMulti={"type": "array", "items": {"anyOf": titled}},
    )
    return await ask(context, "Which do you choose?", form)


@tool
async def test_input_required_result_elicitation(context: ToolContext) -> str:
    """Ask for a name."""
    return await ask(context, "What is your name?", make_form("name", name=_TEXT))


@tool
async def test_input_required_result_request_state(context: ToolContext) -> str:
    """Ask for a yes."""
    said = await ask(context, "Please confirm", make_form("ok", ok={"type": "boolean"}))
    return f"state-ok: {said}"


@tool
async def test_input_required_result_tampered_state(context: ToolContext) -> str:
    """Ask for a yes."""
    return await ask(context, "Please confirm", make_form("ok", ok={"type": "boolean"}))


@tool
async def test_input_required_result_multi_round(context: ToolContext) -> str:
    """Ask twice."""
    name = await context.ask("Step 1: What is your name?", make_form("name", name=_TEXT))
    form = make_form("color", color=_TEXT)
    color = await context.ask("Step 2: What is your favorite color?", form)
    return f"{name['name']} likes {color['color']}"


@tool
async def test_streaming_elicitation(context: ToolContext) -> str:
    """Ask for a name, with progress before."""
    await context.progress("asking")
    return await ask(context, "What is your name?", make_form("name", name=_TEXT))


@tool
async def test_logging_tool() -> str:
    """Return a text, and log nothing to the client."""
    return "done"


@tool
async def greet(name: str) -> str:
    """Greet someone."""
    return f"Hello, {name}!"


@tool
async def slow_compute(seconds: float, context: ToolContext, label: str = "") -> str:
    """Take a while."""
    await context.progress("computing")
    await asyncio.sleep(seconds)
    return f"computed {label}"


@tool
async def failing_job(context: ToolContext) -> str:
    """Fail after a while."""
    await context.progress("failing")
    await asyncio.sleep(_A_WHILE_S)
    raise ToolRetry("This job always fails.")


@tool
async def confirm_delete(filename: str, context: ToolContext) -> str:
    """Ask after a while."""
    await asyncio.sleep(_A_WHILE_S)
    form = make_form("confirm", confirm={"type": "boolean"})
    return await ask(context, f"Delete {filename}?", form)


@tool
async def test_tool_with_task(context: ToolContext) -> str:
    """Ask, and take a while with the answer."""
    answer = await context.ask("What is your name?", make_form("name", name=_TEXT))
    await asyncio.sleep(_A_WHILE_S)
    return f"Hello, {answer['name']}!"


class ToolWithHeader(Tool):
    """A tool whose argument stands in a header of the request, too."""

    name, timeout_s = "test_custom_headers", None
    description = "Tool with an argument in a header"
    parameters: Mapping[str, Any] = {
        "type": "object",
        "properties": {"region": {"type": "string", "x-mcp-header": "Region"}},
    }

    async def call(self, arguments: Mapping[str, Any], context: ToolContext) -> object:
        """Return the arguments."""
        return arguments


class ToolWithSchema(Tool):
    """A tool whose schema has the words that the suite looks for."""

    name, timeout_s = "json_schema_2020_12_tool", None
    description = "Tool with JSON Schema 2020-12 features"
    parameters: Mapping[str, Any] = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {
            "address": {
                "$anchor": "addressDef",
                "type": "object",
                "properties": {"street": _TEXT, "city": _TEXT},
            }
        },
        "properties": {
            "name": _TEXT,
            "address": {"$ref": "#/$defs/address"},
            "contactMethod": {"type": "string", "enum": ["phone", "email"]},
            "phone": _TEXT,
            "email": _TEXT,
        },
        "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
        "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
        "then": {"required": ["phone"]},
        "else": {"required": ["email"]},
        "additionalProperties": False,
    }

    async def call(self, arguments: Mapping[str, Any], context: ToolContext) -> object:
        """Return the arguments."""
        return arguments


FIXTURES: tuple[Tool, ...] = (
    test_simple_text,
    test_image_content,
    test_audio_content,
    test_embedded_resource,
    test_multiple_content_types,
    test_error_handling,
    test_tool_with_progress,
    test_elicitation,
    test_elicitation_sep1034_defaults,
    test_elicitation_sep1330_enums,
    test_input_required_result_elicitation,
    test_input_required_result_request_state,
    test_input_required_result_tampered_state,
    test_input_required_result_multi_round,
    test_streaming_elicitation,
    test_logging_tool,
    greet,
    slow_compute,
    failing_job,
    confirm_delete,
    test_tool_with_task,
    ToolWithHeader(),
    ToolWithSchema(),
)
