"""What bodies of responses may say."""

from typing import Any

import pytest

from arc_core.serving import JsonBody, Problem
from arc_plugins.surfaces.openai.responses.requests import (
    ResponseAsked,
    make_command_fields,
    read_conversation,
)

HI = {"role": "user", "content": "hi"}
WRONG: list[tuple[dict[str, Any], str, str]] = [
    ({"model": None}, "model", "Field required"),
    ({"input": None}, "input", "Field required"),
    ({"input": []}, "input", "not a message of the user"),
    ({"input": 7}, "input", "valid tuple"),
    ({"input": ""}, "input", "is empty"),
    ({"input": [{"content": "hi"}]}, "input[0].role", "is missing"),
    ({"input": [HI | {"role": "robot"}]}, "input[0].role", "'system'"),
    ({"input": [{"type": "computer_call"}]}, "input[0].type", "'message'"),
    ({"input": [HI | {"mood": 1}]}, "input[0].mood", "not permitted"),
    ({"input": [HI, {"role": "assistant", "content": "x"}]}, "input", "not a message of the user"),
    (
        {"input": [{"type": "function_call_output", "call_id": "1", "output": "x"}, HI]},
        "input[0]",
        "does not stand before",
    ),
    (
        {"input": [{"type": "function_call", "call_id": "1", "name": "add"}, HI]},
        "input[1]",
        "has no result",
    ),
    ({"tools": [{"type": "web_search"}]}, "tools", "Tools that the client sends"),
    ({"tool_choice": "some"}, "tool_choice", "auto, none or required"),
    ({"prompt": {"id": "p"}}, "prompt", "Prompts are not kept"),
    ({"text": {"format": {"type": "json_schema"}}}, "text.format", "has no schema"),
    ({"text": {"format": {"type": "xml"}}}, "text.format.type", "'text'"),
    ({"conversation": {"id": ""}}, "conversation.id", "at least 1 character"),
    ({"background": "maybe"}, "background", "valid boolean"),
    ({"max_tool_calls": -1}, "max_tool_calls", "greater than or equal to 0"),
    ({"top_k": 4}, "top_k", "not permitted"),
]


@pytest.mark.parametrize(("said", "param", "message"), WRONG, ids=[str(w[0]) for w in WRONG])
def test_what_is_wrong_is_named(said: dict[str, Any], param: str, message: str) -> None:
    """With its place, as a 422."""
    with pytest.raises(Problem) as raised:
        _read(**said)

    assert (raised.value.status, raised.value.param) == (422, param)
    assert message in raised.value.message


def test_calls_and_results_are_history() -> None:
    """Of this server and of others; what a model thought is left out."""
    items = [
        {"type": "reasoning", "id": "rs", "summary": []},
        {"type": "mcp_call", "id": "m", "name": "add", "arguments": "{}", "output": "3"},
        {"type": "function_call", "call_id": "f", "name": "sub", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "f", "output": "1"},
    ]

    history = _read(input=[HI, *items, HI])["conversation_history"]

    assert [type(each).__name__ for each in history] == [
        "UserMessage",
        *("AssistantMessage", "ToolResultMessage") * 2,
    ]


def _read(**said: Any) -> dict[str, Any]:
    asked = ResponseAsked.of(JsonBody({"model": "default", "input": "hi"} | said, 99))
    return make_command_fields(asked, read_conversation(asked))
