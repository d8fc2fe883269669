"""From a call of `use_tool` to the call of the tool that it names.

It becomes that call before anything else looks at it, so that all that binds calls binds it, under
that name. Only the message of the model, which its vendor gets again, keeps it as it was.
"""

import json
from dataclasses import replace

from arc_core.engine.answers.schema_checks import peek_arguments
from arc_core.engine.tool_calls.call_state import CallState
from arc_core.messages import ToolCall
from arc_core.tools.use_tool import USE_TOOL, UseTool

_MAX_NAME_CHARS = 64


def take_named_call(state: CallState, search: UseTool) -> None:
    """Make of a call what a model means by it which may search for tools.

    A call of `use_tool` that names no tool stands for itself, and does not fit the parameters. One
    of any other name is that of a tool which the model has found, and calls as if it were offered.
    """
    meant = _read_call(state.call)
    if meant is None:
        state.tool = search
        return
    shown = meant if state.shown == state.call else _read_call(state.shown) or state.shown
    tool = search.tools.get(meant.name)
    if tool is None:
        state.nearest = search.find_nearest(meant.name)
    else:
        shown = replace(shown, name=tool.name)
    state.call, state.shown, state.tool = meant, shown, tool


def _read_call(call: ToolCall) -> ToolCall | None:
    """Return the call that one of `use_tool` describes; None if it names no tool.

    Arguments that a model has written as a text are taken for what the text says.
    """
    if call.name != USE_TOOL:
        return replace(call, name=_shorten(call.name))
    name = peek_arguments(call.arguments).get("name")
    if not isinstance(name, str):
        return None
    arguments = _get_members(call.arguments).get("arguments", "")
    if arguments.startswith('"'):
        arguments = json.loads(arguments)
    return ToolCall(call.id, _shorten(name), "" if arguments == "null" else arguments)


def _shorten(name: str) -> str:
    """Return a name as others may see it: none is longer, and all can be encoded."""
    text = name.encode(errors="replace").decode()
    return text if len(text) <= _MAX_NAME_CHARS else f"{text[: _MAX_NAME_CHARS - 1]}…"


def _get_members(text: str) -> dict[str, str]:
    """Return the JSON of each value of a JSON object as it is written there.

    What is written anew may be another text, and may be nested too deeply for it.
    """
    members: dict[str, str] = {}
    decoder, at = json.JSONDecoder(), text.index("{") + 1
    while (at := _skip_space(text, at)) < len(text) and text[at] != "}":
        key, at = decoder.raw_decode(text, at)
        begin = _skip_space(text, _skip_space(text, at) + 1)
        _, at = decoder.raw_decode(text, begin)
        members[key] = text[begin:at]
        at = _skip_space(text, at)
        at += text[at] == ","
    return members


def _skip_space(text: str, at: int) -> int:
    while at < len(text) and text[at] in " \t\n\r":
        at += 1
    return at
