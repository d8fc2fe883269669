"""Whole responses."""

import json
from typing import Any

import pytest

from arc_core import ChatResponse, FinishReason, ModelUnavailableError, TokenUsage
from arc_core.messages import AssistantMessage, Reasoning, ToolCall
from arc_core.wire.http_chat_model import PayloadError
from arc_plugins.models.openai.responses.decode import decode_response
from tests.arc_plugins.models.openai.responses.answers import CALL, REASONING, message, response


def decoded(*items: dict[str, Any], **more: Any) -> ChatResponse:
    """What a response is in Arc's words."""
    return decode_response(json.dumps(response(*items, **more)).encode())


def test_a_text_is_a_text() -> None:
    """Nothing of the vendor's is kept."""
    assert decoded(message("Hello.")) == ChatResponse(
        AssistantMessage("Hello."), TokenUsage(7, 5, 4, 2, 3), FinishReason.STOP
    )


def test_calls_and_reasoning_are_found() -> None:
    """In their order; a summary is for people, its signature for OpenAI."""
    answer = decoded(REASONING, CALL)

    assert answer.message.tool_calls == (ToolCall("call_1", "get_weather", '{"city": "Seoul"}'),)
    assert answer.message.reasoning == (Reasoning("I look it up.", "gAAA+/="),)
    assert answer.finish_reason is FinishReason.TOOL_CALLS


def test_reasoning_without_a_summary_is_redacted() -> None:
    """Only OpenAI can read it."""
    answer = decoded({**REASONING, "summary": []}, CALL)

    assert answer.message.reasoning == (Reasoning("", "gAAA+/=", redacted=True),)


def test_reasoning_of_open_models_is_its_text() -> None:
    """They have no summary, and sign nothing."""
    content = [{"type": "reasoning_text", "text": "Hm."}]
    item = {"id": "rs_1", "type": "reasoning", "summary": [], "content": content}

    assert decoded(item, message("Hi.")).message.reasoning == (Reasoning("Hm."),)


def test_several_messages_are_one_text() -> None:
    """Comments before calls belong to what is said."""
    first, second = message("I look. ", phase="commentary"), message("Fine.", id="msg_2")

    assert decoded(first, second).message.content == "I look. Fine."


@pytest.mark.parametrize("usage", [None, {}, {"input_tokens": "7"}, {"input_tokens": -1}, [7]])
def test_usage_that_is_not_numbers_is_none(usage: object) -> None:
    """The answer is good anyway."""
    assert decoded(message("Hi."), usage=usage).usage in {None, TokenUsage()}


@pytest.mark.parametrize("details", [None, 3, {"cached_tokens": None}, {"cached_tokens": "4"}])
def test_details_of_usage_may_be_missing(details: object) -> None:
    """Compatible servers report none."""
    usage = {"input_tokens": 7, "output_tokens": 5, "input_tokens_details": details}

    assert decoded(message("Hi."), usage=usage).usage == TokenUsage(7, 5)


@pytest.mark.parametrize(
    ("details", "expected"),
    [
        ({"reason": "max_output_tokens"}, FinishReason.LENGTH),
        ({"reason": "content_filter"}, FinishReason.CONTENT_FILTER),
        (None, FinishReason.LENGTH),
    ],
)
def test_an_incomplete_response_was_cut_off(details: object, expected: FinishReason) -> None:
    """By the bound or by a filter."""
    answer = decoded(message("Hel"), status="incomplete", incomplete_details=details)

    assert (answer.message.content, answer.finish_reason) == ("Hel", expected)


def test_a_refusal_is_a_filter() -> None:
    """Its words are not the answer."""
    refusal = message("", content=[{"type": "refusal", "refusal": "No."}])

    assert decoded(refusal).finish_reason is FinishReason.CONTENT_FILTER


@pytest.mark.parametrize("error", [None, {"code": "server_error", "message": "no"}])
def test_a_failed_response_is_an_error(error: object) -> None:
    """In spite of status 200, with or without a reason."""
    with pytest.raises(PayloadError):
        decoded(status="failed", error=error)


@pytest.mark.parametrize("status", ["cancelled", "queued", "in_progress"])
def test_a_response_that_was_not_made_is_an_error(status: str) -> None:
    """Its output is empty, and would look like an answer."""
    with pytest.raises(ModelUnavailableError, match=status):
        decoded(status=status)
