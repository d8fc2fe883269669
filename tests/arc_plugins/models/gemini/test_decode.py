"""Whole answers of Gemini's, and what of them goes back."""

import json
from typing import Any

import pytest

from arc_core import FinishReason, InvalidResponseError, TokenUsage
from arc_plugins.models.gemini.decode import decode_answer, find_own_parts, read_usage

CALL = {"functionCall": {"name": "look", "args": {"at": 1}}}
REFUSED = [
    "BLOCKLIST", "IMAGE_SAFETY", "LANGUAGE", "MODEL_ARMOR", "PROHIBITED_CONTENT", "RECITATION",
    "SAFETY", "SPII",
]  # fmt: skip


def body_of(*parts: dict[str, Any], **candidate: Any) -> bytes:
    """An answer of these parts."""
    return json.dumps({"candidates": [{"content": {"parts": parts}, **candidate}]}).encode()


@pytest.mark.parametrize(
    ("reason", "parts", "expected"),
    [
        ("STOP", [{"text": "Hi"}], FinishReason.STOP),
        ("STOP", [CALL], FinishReason.TOOL_CALLS),
        ("MAX_TOKENS", [{"text": "Hi"}], FinishReason.LENGTH),
        ("OTHER", [{"text": "Hi"}], FinishReason.STOP),
        ("NEW_REASON", [{"text": "Hi"}], FinishReason.STOP),
        *((reason, [], FinishReason.CONTENT_FILTER) for reason in REFUSED),
    ],
)
def test_a_finish_reason_has_its_counterpart(
    reason: str, parts: list[dict[str, Any]], expected: FinishReason
) -> None:
    """Calls end a turn without a reason of their own."""
    assert decode_answer(body_of(*parts, finishReason=reason)).finish_reason is expected


@pytest.mark.parametrize(
    ("reason", "is_retried"),
    [("MALFORMED_FUNCTION_CALL", True), ("UNEXPECTED_TOOL_CALL", True), ("OTHER", False)],
)
def test_an_end_without_an_answer_is_invalid(reason: str, *, is_retried: bool) -> None:
    """A call that was written wrongly may be written better."""
    with pytest.raises(InvalidResponseError, match=reason) as caught:
        decode_answer(body_of({"text": " "}, finishReason=reason))

    assert caught.value.retryable is is_retried


def test_the_first_candidate_counts() -> None:
    """Others may stand before it."""
    candidates = [
        {"index": 1, "content": {"parts": [{"text": "second"}]}},
        {"index": 0, "content": {"parts": [{"text": "first"}]}},
    ]
    body = json.dumps({"candidates": candidates}).encode()

    assert decode_answer(body).message.content == "first"


def test_signed_parts_go_back_as_they_came() -> None:
    """Texts with and without a signature stay apart, and thoughts have no place of their own."""
    signed = {"text": "", "thoughtSignature": "c2lnbmVk"}
    code = {"executableCode": {"language": "PYTHON", "code": "1"}, "thoughtSignature": "Y29kZQ=="}
    parts: list[dict[str, Any]] = [
        {"text": "Why", "thought": True},
        {"text": "He"},
        {"text": "llo"},
        signed,
        code,
        CALL,
    ]

    message = decode_answer(body_of(*parts, finishReason="STOP")).message

    assert message.content == "Hello"
    assert [each.text for each in message.reasoning] == ["Why"]
    assert find_own_parts(message) == [{"text": "Hello"}, signed, code, {"functionCall": {}}]


def test_text_and_calls_need_nothing_else() -> None:
    """What they can say is not kept twice."""
    assert decode_answer(body_of({"text": "Hi"}, CALL)).message.vendor_content is None


@pytest.mark.parametrize(
    ("counts", "usage"),
    [
        (
            {
                "promptTokenCount": 5,
                "toolUsePromptTokenCount": 2,
                "candidatesTokenCount": 3,
                "thoughtsTokenCount": 4,
                "cachedContentTokenCount": 1,
            },
            TokenUsage(7, 7, 1, reasoning_tokens=4),
        ),
        ({"trafficType": "ON_DEMAND"}, TokenUsage(0, 0)),
        ({"promptTokenCount": "five"}, None),
        ({}, None),
        ([1], None),
    ],
)
def test_usage_counts_tools_and_thoughts(counts: object, usage: TokenUsage | None) -> None:
    """What a tool of the vendor's has read is of the prompt; a count that is left out is 0."""
    assert read_usage(counts) == usage
