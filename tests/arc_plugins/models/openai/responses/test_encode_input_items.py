"""What goes back of an answer, and how messages are sent."""

import json
from dataclasses import replace
from typing import Any

import pytest

from arc_core import Attachment, InvalidRequestError, Text, messages
from arc_core.wire import CallIds
from arc_plugins.models.openai.responses.decode import decode_response
from arc_plugins.models.openai.responses.encode import encode_input_items
from tests.arc_plugins.models.openai.responses.answers import (
    CALL,
    REASONING,
    SEARCH,
    message,
    response,
)


def sent_for(*conversation: messages.Message) -> list[dict[str, Any]]:
    """The input items of a conversation."""
    ids = CallIds()
    return [item for each in conversation for item in encode_input_items(each, ids.of(each))]


def answer_of(*items: dict[str, Any]) -> messages.AssistantMessage:
    """A message as it is decoded."""
    return decode_response(json.dumps(response(*items)).encode()).message


def test_messages_have_roles() -> None:
    """Texts are sent as they are."""
    assert sent_for(
        messages.SystemMessage("Be brief."),
        messages.UserMessage("Hi"),
        messages.AssistantMessage("Hello"),
    ) == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": "Hello"},
    ]


def test_calls_and_results_are_items() -> None:
    """They belong together by id; a message that says nothing is not sent."""
    calling = messages.AssistantMessage("", (messages.ToolCall("", "get weather", " "),))
    told = messages.ToolResultMessage((messages.ToolResult("", "get weather", "sunny"),))

    assert sent_for(calling, told) == [
        {"type": "function_call", "call_id": "call_0", "name": "get_weather", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "call_0", "output": "sunny"},
    ]


def test_an_ordinary_answer_keeps_nothing() -> None:
    """Text and calls say it all."""
    assert answer_of(message("I look."), CALL).vendor_content is None


@pytest.mark.parametrize(
    "item",
    [
        REASONING,
        {**REASONING, "summary": []},
        {**REASONING, "summary": [{"type": "summary_text", "text": each} for each in "ab"]},
        {**REASONING, "content": [], "status": "completed"},
        {**REASONING, "content": [{"type": "reasoning_text", "text": "Hm."}]},
    ],
    ids=["summary", "redacted", "two parts", "more fields", "text"],
)
def test_reasoning_goes_back_unchanged(item: dict[str, Any]) -> None:
    """Whatever it consists of, before the call it led to."""
    assert sent_for(answer_of(item, CALL)) == [item, CALL]


def test_reasoning_is_kept_once() -> None:
    """The message's own fields say it; only its identity is the vendor's content."""
    assert answer_of(REASONING, CALL).vendor_content == {
        "openai_responses": [
            {"id": "rs_1", "type": "reasoning"},
            {"id": "fc_1", "type": "function_call", "status": "completed"},
        ]
    }


def test_tools_of_openais_own_go_back_in_order() -> None:
    """Calls keep their place among them, and text keeps its annotations."""
    cited = message("Sunny.")
    cited["content"][0]["annotations"] = [{"type": "url_citation", "url": "https://a.example"}]
    namespaced = {**CALL, "namespace": "weather"}

    assert sent_for(answer_of(SEARCH, namespaced, SEARCH, cited)) == [
        SEARCH,
        namespaced,
        SEARCH,
        cited,
    ]


def test_the_phase_of_a_message_goes_back() -> None:
    """Models answer worse without it."""
    said = message("I look.", phase="commentary")
    del said["content"][0]["logprobs"]

    assert sent_for(answer_of(said, CALL)) == [said, CALL]


def test_several_messages_go_back_as_several() -> None:
    """Their texts are kept, since the whole does not tell where they part."""
    items = message("I look. ", phase="commentary"), CALL, message("Fine.", id="msg_2")

    assert sent_for(answer_of(*items)) == list(items)


def test_an_empty_message_goes_back_too() -> None:
    """Gateways send null for what there is not; ids that would refer to reasoning stay here."""
    unknown = {**REASONING, "encrypted_content": None}

    sent = sent_for(answer_of(unknown, message("", content=None), CALL))

    assert sent[0] == {"role": "assistant", "content": ""}


def test_reasoning_that_openai_does_not_know_stays_here() -> None:
    """It was neither stored nor encrypted; what would refer to it loses its id."""
    unknown = {**REASONING, "encrypted_content": None}
    said = message("I look.", phase="commentary")

    assert sent_for(answer_of(unknown, said, SEARCH, CALL)) == [
        {"role": "assistant", "content": "I look.", "phase": "commentary"},
        SEARCH,
        {name: value for name, value in CALL.items() if name != "id"},
    ]


@pytest.mark.parametrize(
    "changes",
    [{"tool_calls": ()}, {"reasoning": ()}, {"content": "More."}],
    ids=["calls", "reasoning", "text"],
)
def test_an_answer_that_was_changed_is_sent_as_it_is_now(changes: dict[str, Any]) -> None:
    """Its items no longer have their places."""
    changed = replace(answer_of(REASONING, CALL), **changes)

    sent = sent_for(changed)

    assert not [item for item in sent if item.get("type") == "reasoning" or "id" in item]


@pytest.mark.parametrize("kept", [{"anthropic": []}, {"openai": {}}, "text", 7])
def test_what_another_model_kept_is_not_sent(kept: object) -> None:
    """Nor is its reasoning, which OpenAI would refuse."""
    thought = (messages.Reasoning("Hm.", "signed by another"),)

    assert sent_for(messages.AssistantMessage("Hi", (), thought, kept)) == [
        {"role": "assistant", "content": "Hi"}
    ]


def test_attachments_are_parts() -> None:
    """Images and documents by their bytes or address; a text as one, under its name."""
    png, pdf = Attachment("image/png", b"\x89PNG"), Attachment("application/pdf", b"%PDF-")
    parts = (
        Text("See:"),
        png,
        Attachment("image/jpeg", url="https://a.example/b.jpg"),
        replace(pdf, name="a.pdf"),
        Attachment("application/pdf", url="https://a.example/a.pdf"),
        Attachment("text/plain", "Größe".encode(), name="a.txt"),
    )

    (sent,) = sent_for(messages.UserMessage(parts))

    image = {"type": "input_image", "detail": "auto"}
    file = {"type": "input_file", "filename": "a.pdf"}
    assert sent["content"] == [
        {"type": "input_text", "text": "See:"},
        {**image, "image_url": "data:image/png;base64,iVBORw=="},
        {**image, "image_url": "https://a.example/b.jpg"},
        {**file, "file_data": "data:application/pdf;base64,JVBERi0="},
        {"type": "input_file", "file_url": "https://a.example/a.pdf"},
        {"type": "input_text", "text": "[a.txt]\nGröße"},
    ]


@pytest.mark.parametrize(
    "attachment",
    [Attachment("audio/wav", b"RIFF"), Attachment("text/plain", url="https://a.example/a.txt")],
    ids=["sound", "address of a text"],
)
def test_what_the_api_does_not_take_is_refused_by_name(attachment: Attachment) -> None:
    """The engine asks before; other callers read it here."""
    with pytest.raises(InvalidRequestError, match=attachment.media_type):
        sent_for(messages.UserMessage((attachment,)))


def test_a_tools_result_may_have_attachments() -> None:
    """The model sees the picture that a tool made."""
    result = messages.ToolResult("c", "draw", (Text("Here."), Attachment("image/png", b"\x89PNG")))
    calling = messages.AssistantMessage("", (messages.ToolCall("c", "draw", "{}"),))

    sent = sent_for(calling, messages.ToolResultMessage((result,)))[1]

    assert [part["type"] for part in sent["output"]] == ["input_text", "input_image"]
