"""What bodies of chat completions may say."""

from typing import Any

import pytest

from arc_core import AgentMode, AssistantMessage, ResponseFormat, ToolCall, ToolResultMessage
from arc_core.serving import JsonBody, Problem
from arc_plugins.surfaces.openai.chat.endpoint import ChatAsked, command_in
from arc_plugins.surfaces.openai.fields import read_fields

HI = {"role": "user", "content": "hi"}
CALL = {"id": "1", "type": "function", "function": {"name": "add", "arguments": "{}"}}
WRONG: list[tuple[dict[str, Any], str, str]] = [
    ({"model": None}, "model", "Field required"),
    ({"model": ""}, "model", "at least 1 character"),
    ({"messages": None}, "messages", "Field required"),
    ({"messages": []}, "messages", "not a message of the user"),
    ({"messages": "hi"}, "messages", "valid tuple"),
    ({"messages": [{"role": "robot"}]}, "messages[0].role", "'system'"),
    ({"messages": [{"content": "hi"}]}, "messages[0].role", "Field required"),
    ({"messages": [HI | {"mood": 1}]}, "messages[0].mood", "not permitted"),
    ({"messages": [HI | {"content": 5}]}, "messages[0].content", "valid tuple"),
    ({"messages": [HI | {"content": [{"type": "x"}]}]}, "messages[0].content[0].type", "'text'"),
    ({"messages": [HI | {"content": ""}]}, "messages", "is empty"),
    ({"messages": [{"role": "system", "content": "hi"}]}, "messages", "not a message of the user"),
    ({"messages": [HI, {"role": "assistant", "content": "x"}]}, "messages", "not a message of the"),
    ({"messages": [{"role": "tool", "content": "x"}, HI]}, "messages[0]", "does not stand before"),
    ({"n": 2}, "n", "There is one answer"),
    ({"tools": [CALL]}, "tools", "Tools that the client sends are not supported"),
    ({"tool_choice": {"type": "function"}}, "tool_choice", "auto, none or required"),
    ({"temperature": 3}, "temperature", "less than or equal to 2"),
    ({"stream": "often"}, "stream", "valid boolean"),
    ({"metadata": {"a": 1}}, "metadata.a", "valid string"),
    ({"response_format": {"type": "xml"}}, "response_format.type", "'text'"),
    ({"response_format": {"type": "json_schema"}}, "response_format.json_schema", "has no schema"),
    ({"top_k": 4}, "top_k", "not permitted"),
]


def read(**said: Any) -> ChatAsked:
    """The fields of a body."""
    return read_fields(JsonBody({"model": "default", "messages": [HI]} | said, 99), ChatAsked)


@pytest.mark.parametrize(("said", "param", "message"), WRONG, ids=[str(w[0]) for w in WRONG])
def test_what_is_wrong_is_named(said: dict[str, Any], param: str, message: str) -> None:
    """With its place, as a 422."""
    with pytest.raises(Problem) as raised:
        command_in(read(**said), None)

    assert (raised.value.status, raised.value.param) == (422, param)
    assert message in raised.value.message


def test_a_schema_that_is_not_one_is_refused() -> None:
    """Before a model is asked."""
    form = {"type": "json_schema", "json_schema": {"name": "x", "schema": {"type": 7}}}

    with pytest.raises(Problem) as raised:
        command_in(read(response_format=form), None)

    assert raised.value.param == "response_format"


def test_fields_become_those_of_the_command() -> None:
    """As far as a command has them."""
    schema = {"type": "object"}
    form = {"type": "json_schema", "json_schema": {"name": "x", "schema": schema, "strict": True}}

    command = command_in(
        read(temperature=1, safety_identifier="ann", metadata={"a": "b"}, response_format=form),
        "s-1",
    )

    assert (command.agent, command.user_prompt, command.temperature) == ("default", "hi", 1)
    assert (command.user_id, command.session_id, command.metadata) == ("ann", "s-1", {"a": "b"})
    assert (command.response_format, command.response_schema) == (ResponseFormat.JSON, schema)


@pytest.mark.parametrize(
    ("choice", "mode", "demanded"),
    [
        ("auto", AgentMode.REACT, None),
        ("none", AgentMode.STANDARD, None),
        ("required", AgentMode.REACT, "required"),
    ],
)
def test_the_use_of_tools_is_chosen(choice: str, mode: AgentMode, demanded: str | None) -> None:
    """Which are those of the agent."""
    command = command_in(read(tool_choice=choice), None)

    assert (command.mode, command.tool_choice) == (mode, demanded)


def test_earlier_calls_of_tools_are_history() -> None:
    """Of a conversation that was led elsewhere."""
    calls = {"role": "assistant", "content": None, "tool_calls": [CALL]}
    result = {"role": "tool", "tool_call_id": "1", "content": "3"}

    _, said, given = command_in(read(messages=[HI, calls, result, HI]), None).conversation_history

    assert said == AssistantMessage("", (ToolCall("1", "add", "{}"),))
    assert isinstance(given, ToolResultMessage)
    assert (given.results[0].name, given.results[0].text) == ("add", "3")
