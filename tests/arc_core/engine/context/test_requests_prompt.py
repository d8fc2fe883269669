"""The system prompt: parts that are there, as they are, a blank line between."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from arc_core import AgentCommand, Document, ResponseFormat, UserMessage
from arc_core.engine.boundary.boundary import Boundary
from arc_core.engine.context.requests import retrieved_context, system_prompt
from arc_core.engine.models.token_costs import TokenCosts
from arc_core.settings import AgentSettings, LlmSettings
from arc_core.testing import CharacterEstimator, FixedRetriever, ScriptedChatModel, scripted_agent

COSTS = TokenCosts(CharacterEstimator(), boundary=Boundary())


class City(BaseModel):
    """What is asked for."""

    name: str


def prompt(instructions: str, context: str = "", **fields: object) -> str:
    """The system prompt of a command."""
    command = AgentCommand.model_validate({"user_prompt": "Hello", **fields})
    return system_prompt(command, instructions=instructions, context=context)


def test_instructions_alone_stay_as_they_are() -> None:
    """Absent parts leave nothing behind."""
    assert prompt("Be brief.\n") == "Be brief.\n"
    assert prompt("") == ""


@given(st.text(min_size=1), st.text(min_size=1))
def test_given_texts_are_inserted_as_they_are(instructions: str, context: str) -> None:
    """Nothing in them is a template: no brace, no percent sign, no backslash."""
    assert prompt(instructions, context) == f"{instructions}\n\n[Retrieved Context]\n{context}"


@pytest.mark.parametrize("response_format", [ResponseFormat.JSON, ResponseFormat.YAML])
def test_the_format_is_asked_for(response_format: ResponseFormat) -> None:
    """JSON and YAML have an instruction."""
    text = prompt("Be brief.", response_format=response_format)

    name = response_format.name
    assert text == f"Be brief.\n\n[Response Format]\nYou MUST respond with valid {name} only."


def test_context_comes_before_format() -> None:
    """Instructions, context, format, schema."""
    text = prompt("Do.", "Facts.", response_format="json", response_schema={"type": "object"})

    assert text == (
        "Do.\n\n[Retrieved Context]\nFacts.\n\n[Response Format]\n"
        'You MUST respond with valid JSON only.\n\nExpected JSON schema:\n{"type": "object"}'
    )


def test_a_class_is_shown_by_its_schema() -> None:
    """A pydantic class and its JSON Schema come to the same."""
    as_class = prompt("Do.", response_format="json", response_schema=City)
    as_schema = prompt("Do.", response_format="json", response_schema=City.model_json_schema())

    assert as_class == as_schema
    assert json.loads(as_class.rpartition("\n")[2]) == City.model_json_schema()


def test_documents_have_their_sources() -> None:
    """In the order they were found; a source only if there is one."""
    documents = [Document("High.", "atlas"), Document("Cold.")]

    context = retrieved_context(documents, costs=COSTS, max_tokens=100)

    assert context == "Source: atlas\nHigh.\n\nCold."


def test_the_best_documents_that_fit_are_taken() -> None:
    """The first that does not fit ends the list: a worse one is not preferred to it."""
    documents = [Document("12345"), Document("123456"), Document("1")]

    assert retrieved_context(documents, costs=COSTS, max_tokens=10) == "12345"
    assert retrieved_context(documents, costs=COSTS, max_tokens=11) == "12345\n\n123456"


@pytest.mark.parametrize(
    "documents", [[], [Document("")], [Document(" \n"), Document("", "atlas")]]
)
def test_documents_without_text_leave_nothing_behind(documents: list[Document]) -> None:
    """Neither a heading nor blank lines."""
    assert retrieved_context(documents, costs=COSTS, max_tokens=100) == ""


@pytest.mark.parametrize(
    ("own", "sent"), [(None, "You are Ann's."), ("Be brief.", "Be brief."), ("", "")]
)
async def test_a_command_brings_its_own_instructions(own: str | None, sent: str) -> None:
    """None is the setting's; an empty text is none at all."""
    model = ScriptedChatModel(["Hi."])
    settings = AgentSettings(llm=LlmSettings(system_prompt="You are Ann's."))

    await scripted_agent(model, settings).execute(
        AgentCommand(user_prompt="Hello", system_prompt=own)
    )

    assert model.requests[0].system_prompt == sent


async def test_context_is_bounded_by_the_setting() -> None:
    """`rag.max_context_tokens` counts what is inserted."""
    model = ScriptedChatModel(["Hi."])
    settings = AgentSettings.model_validate({"rag": {"max_context_tokens": 5}})
    retriever = FixedRetriever([Document("12345"), Document("6")])

    await scripted_agent(model, settings, retriever=retriever).execute(
        AgentCommand(user_prompt="Hello", system_prompt="")
    )

    question = "[Retrieved Context]\n12345\n\n[Question]\nHello"
    assert model.requests[0].messages == (UserMessage(question),)
