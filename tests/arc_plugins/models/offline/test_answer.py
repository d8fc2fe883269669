"""Answers are put together from results."""

import pytest

from arc_core import ToolCall, ToolOutcome, ToolResult
from arc_plugins.models.offline.answer import Exchange, answer_text
from tests.arc_plugins.models.offline.exchanges import exchange
from tests.arc_plugins.models.offline.sample_tools import calculate, current_time


def test_each_result_has_a_line() -> None:
    """In call order, with the arguments that tell two calls of one tool apart."""
    exchanges = [
        exchange("current_time", "noon", place="Seoul"),
        exchange("calculate", "310", expression="12.5% of 2480"),
    ]

    lines = answer_text(exchanges, tools=[], in_korean=False).splitlines()

    assert lines[:2] == ["- current_time(Seoul): noon", "- calculate(12.5% of 2480): 310"]


@pytest.mark.parametrize(
    ("in_korean", "notice"), [(False, "not a language model"), (True, "언어 모델이 아닙니다")]
)
def test_it_says_what_it_is(in_korean: bool, notice: str) -> None:  # noqa: FBT001 -- a table
    """With results, without a matching tool, and without any tool."""
    answers = [
        answer_text([exchange("tool", "result")], tools=[], in_korean=in_korean),
        answer_text([], tools=[calculate], in_korean=in_korean),
        answer_text([], tools=[], in_korean=in_korean),
    ]

    assert all(notice in answer for answer in answers)
    assert len(set(answers)) == 3


def test_without_a_match_it_says_what_there_is() -> None:
    """The tools on offer and the way to a language model are named."""
    answer = answer_text([], tools=[current_time, calculate], in_korean=False)

    assert "current_time, calculate" in answer
    assert "OPENAI_API_KEY" in answer


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ('{"degrees": 21, "sky": "clear", "wind": null}', "degrees: 21, sky: clear, wind: null"),
        ('["a", "b"]', '["a", "b"]'),
        (" text ", "text"),
        ("", "-"),
        ("310", "310"),
        ("x" * 3000, "x" * 2000 + "…"),
        ("[" * 100_000, "[" * 2000 + "…"),
    ],
    ids=["object", "list", "text", "empty", "number", "long", "nested"],
)
def test_results_are_readable(content: str, line: str) -> None:
    """Objects become pairs, long results are cut, anything else stays as it is."""
    answer = answer_text([exchange("tool", content)], tools=[], in_korean=False)

    assert answer.splitlines()[0] == f"- tool(): {line}"


def test_a_failed_call_is_reported() -> None:
    """What went wrong is part of the answer."""
    failed = exchange("tool", "Error: Tool 'tool' failed", outcome=ToolOutcome.FAILED, n=1)

    assert "- tool(1): Error: Tool 'tool' failed" in answer_text(
        [failed], tools=[], in_korean=False
    )


@pytest.mark.parametrize("arguments", ["", "no JSON", "[1]"])
def test_calls_of_another_model_do_no_harm(arguments: str) -> None:
    """A conversation may have been begun by a model that writes no JSON object."""
    foreign = Exchange(ToolCall("1", "tool", arguments), ToolResult("1", "tool", "result"))

    assert answer_text([foreign], tools=[], in_korean=False).startswith("- tool(): result")
