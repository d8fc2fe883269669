"""What messages and tools cost, and that it is counted once."""

import gc
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import pytest

from arc_core import (
    AssistantMessage,
    Attachment,
    Message,
    SystemMessage,
    Text,
    Tool,
    ToolCall,
    ToolContext,
    ToolResult,
    ToolResultMessage,
    UserMessage,
)
from arc_core.engine.boundary.boundary import Boundary
from arc_core.engine.models.token_costs import TokenCosts
from arc_core.testing import CharacterEstimator
from tests.attached_files import IMAGE, TEXT


class Counting(CharacterEstimator):
    """Remembers the texts."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def estimate(self, text: str) -> int:
        self.texts.append(text)
        return super().estimate(text)


class Roomy(Tool):
    """A tool like any other."""

    name, description, timeout_s = "find", "Finds.", None
    parameters: Mapping[str, Any] = MappingProxyType({"type": "object"})

    async def call(self, arguments: Mapping[str, Any], context: ToolContext) -> object:
        return None


class Tight:
    """A tool that nothing can be remembered about."""

    __slots__ = ("description", "name", "parameters", "timeout_s")

    def __init__(self) -> None:
        self.name, self.description = "find", "Finds."
        self.parameters: Mapping[str, Any] = {"type": "object"}
        self.timeout_s: float | None = None

    async def call(self, arguments: Mapping[str, Any], context: ToolContext) -> object:
        return None


@pytest.mark.parametrize(
    ("message", "cost"),
    [
        (UserMessage("12345"), 5),
        (SystemMessage("123"), 3),
        (AssistantMessage(""), 0),
        (AssistantMessage("12", (ToolCall("id", "find", '{"a":1}'), ToolCall("x", "f", ""))), 14),
        (ToolResultMessage((ToolResult("id", "find", "123"), ToolResult("x", "f", "4"))), 4),
    ],
    ids=["user", "system", "empty", "calls", "results"],
)
def test_messages_cost_what_is_sent_of_them(message: Message, cost: int) -> None:
    """Texts, names and arguments of calls, contents of results."""
    costs = TokenCosts(CharacterEstimator(), boundary=Boundary())

    assert costs.of_message(message) == cost
    assert costs.of_messages((message, message)) == 2 * cost


def test_tools_cost_name_description_and_parameters() -> None:
    """All that describes a tool to the model."""
    cost = TokenCosts(CharacterEstimator(), boundary=Boundary()).of_tool(Roomy())

    assert cost == len('find Finds. {"type": "object"}')


def test_an_object_is_counted_once() -> None:
    """Messages and tools never change; equal ones are still counted apart."""
    estimator, message, roomy = Counting(), UserMessage("Hello"), Roomy()
    costs = TokenCosts(estimator, boundary=Boundary())

    for _ in range(3):
        costs.of_message(message)
        costs.of_messages([message])
        costs.of_tool(roomy)
    costs.of_message(UserMessage("Hello"))

    assert len(estimator.texts) == 3


def test_texts_are_counted_every_time() -> None:
    """They are not objects that live on."""
    estimator = Counting()
    costs = TokenCosts(estimator, boundary=Boundary())

    assert [costs.of_text("abc"), costs.of_text("abc")] == [3, 3]
    assert estimator.texts == ["abc", "abc"]


def test_a_tool_that_cannot_be_remembered_is_counted_every_time() -> None:
    """A class with slots does not fail."""
    estimator = Counting()
    costs, tight = TokenCosts(estimator, boundary=Boundary()), Tight()

    assert costs.of_tool(tight) == costs.of_tool(tight)
    assert len(estimator.texts) == 2


@pytest.mark.slow
def test_counts_go_with_their_messages() -> None:
    """Nothing is kept of a message that is gone, and its successor is counted anew."""
    costs = TokenCosts(CharacterEstimator(), boundary=Boundary())

    counted = []
    for length in range(1000):
        counted.append(costs.of_message(UserMessage("x" * length)))
    gc.collect()

    assert counted == list(range(1000))
    assert len(costs._messages) == 0


@pytest.mark.parametrize(
    ("attachment", "tokens"), [(TEXT, 2), (IMAGE, 255)], ids=["by its characters", "by its pixels"]
)
def test_attachments_cost_tokens(attachment: Attachment, tokens: int) -> None:
    """With the text beside them, wherever they stand."""
    content = (Text("Hello"), attachment)

    costs = TokenCosts(CharacterEstimator(), boundary=Boundary())

    assert costs.of_message(UserMessage(content)) == 5 + tokens
    assert costs.of_message(ToolResultMessage((ToolResult("1", "f", content),))) == 5 + tokens
