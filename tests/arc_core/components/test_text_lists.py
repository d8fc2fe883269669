"""A text alone where a list is expected: refused, since it would be read letter by letter."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from arc_core import Agent, ConfigurationError
from arc_core.components.text_lists import check_list
from arc_core.testing import ScriptedChatModel
from arc_core.testing.conformance.guards.guard import GuardConformance

_REFUSED: dict[str, Callable[[Any], object]] = {
    "tools": lambda text: Agent("shop", tools=text),
    "delegates": lambda text: Agent("shop", delegates=text),
    "handoffs": lambda text: Agent("shop", handoffs=text),
    "turns": ScriptedChatModel,
    "prompts": lambda text: type("Suite", (GuardConformance,), {"prompts": text}),
}


@pytest.mark.parametrize("text", ["find_order", b"find_order", ""], ids=["text", "bytes", "empty"])
def test_a_text_alone_is_refused_with_the_remedy(text: object) -> None:
    """Whatever it says."""
    with pytest.raises(ConfigurationError, match="handoffs is not a list") as raised:
        check_list(text, what="handoffs")

    assert f"[{text!r}]" in raised.value.remedy


@pytest.mark.parametrize("texts", [["a"], ("a",), {"a"}, ()])
def test_a_list_is_taken(texts: Sequence[str]) -> None:
    """Of any kind."""
    check_list(texts, what="handoffs")


@pytest.mark.parametrize(("what", "make"), _REFUSED.items(), ids=_REFUSED.keys())
def test_whatever_takes_a_list_refuses_a_text(what: str, make: Callable[[Any], object]) -> None:
    """Agents, the scripted model, and the conformance suites."""
    with pytest.raises(ConfigurationError, match=f"{what}.* not a list"):
        make("find_order")


def test_the_evidence_of_an_error_takes_a_text_as_one() -> None:
    """To refuse it there would hide what the error is about."""
    error = ConfigurationError("it broke", evidence="one fact", remedy="mend it")

    assert error.evidence == ("one fact",)
