"""Answers of every type a program can declare, through a whole run."""

from typing import Any, Literal

import pytest
from pydantic import BaseModel, ValidationError

from arc_core import AgentCommand, AgentErrorCode, ResponseFilterChain, ResponseFormat
from arc_core.testing import ScriptedChatModel, scripted_agent
from tests.arc_core.declared_types import Colour, Point, Row


class City(BaseModel):
    name: str


class Spaces:
    """A filter that changes the text and not what it says."""

    order = 1

    async def filter(self, content: str, context: object) -> str:
        """Add a blank."""
        return f"{content} "


def asked(declared: Any, form: ResponseFormat = ResponseFormat.JSON) -> AgentCommand:
    """A question whose answer must be of a type."""
    return AgentCommand(user_prompt="Hi", response_format=form, response_schema=declared)


@pytest.mark.parametrize(
    ("declared", "answer", "output"),
    [
        (City, '{"name": "Seoul"}', City(name="Seoul")),
        (Point, '{"x": 1}', Point(1)),
        (Row, '{"x": 1}', {"x": 1}),
        (list[City], '{"answer": [{"name": "Seoul"}]}', [City(name="Seoul")]),
        (list[City], '[{"name": "Seoul"}]', [City(name="Seoul")]),
        (City | Point, '{"answer": {"x": 1}}', Point(1)),
        (Literal["a", "b"], '{"answer": "b"}', "b"),
        (Colour, '{"answer": "red"}', Colour.RED),
        (int, "```json\n3\n```", 3),
        (City | None, '{"answer": null}', None),
    ],
)
async def test_output_is_of_the_declared_type(declared: Any, answer: str, output: object) -> None:
    """With the object around it or without, in one call."""
    model = ScriptedChatModel([answer])

    result = await scripted_agent(model).execute(asked(declared))

    assert (result.success, result.unwrap()) == (True, output)
    model.assert_complete()


async def test_content_is_the_text_of_the_value() -> None:
    """The object that was only there for the vendor is gone."""
    model = ScriptedChatModel(['{"answer": ["Größe", 1]}'])

    result = await scripted_agent(model).execute(asked(list[str | int]))

    assert result.content == '["Größe", 1]'


async def test_a_scalar_in_yaml_is_asked_for_in_a_mapping() -> None:
    """A bare scalar is not accepted as YAML, with its key it is."""
    model = ScriptedChatModel(["answer: 3"])

    result = await scripted_agent(model).execute(asked(int, ResponseFormat.YAML))

    assert (result.content, result.output) == ("answer: 3", 3)


async def test_a_filtered_answer_is_read_again() -> None:
    """Filters see the text without the object, and so does the reader after them."""
    model = ScriptedChatModel(['{"answer": [1]}'])
    agent = scripted_agent(model, response_filter_chain=ResponseFilterChain([Spaces()]))

    result = await agent.execute(asked(list[int]))

    assert result.output == [1]


async def test_the_chat_model_is_given_a_schema_of_an_object() -> None:
    """In the request, for vendors that hold a model to it, and in the prompt."""
    model = ScriptedChatModel(['{"answer": [1]}'])

    await scripted_agent(model).execute(asked(list[int]))

    [request] = model.requests
    assert isinstance(request.response_schema, dict)
    assert request.response_schema["required"] == ["answer"]
    assert '"required": ["answer"]' in (request.system_prompt or "")


async def test_a_repair_names_the_place_in_the_answer() -> None:
    """The model finds what is wrong by the keys that it has written itself."""
    model = ScriptedChatModel(['{"answer": [1, "x"]}', '{"answer": [1, 2]}'])

    result = await scripted_agent(model).execute(asked(list[int]))

    assert result.output == [1, 2]
    assert "answer.1: Input should be a valid integer" in model.requests[1].messages[-1].text  # type: ignore[union-attr]


async def test_an_answer_of_another_type_fails_the_run() -> None:
    """After one repair, as for every structured answer."""
    model = ScriptedChatModel(['{"answer": "x"}', '{"answer": "y"}'])

    result = await scripted_agent(model).execute(asked(int))

    assert (result.error_code, result.output) == (AgentErrorCode.INVALID_RESPONSE, None)


def test_a_type_without_a_schema_is_refused_before_the_model_is_asked() -> None:
    """The command is not made, and the error names the type."""
    with pytest.raises(ValidationError, match=r"no answer can be of this type: .*Spaces"):
        asked(list[Spaces])
