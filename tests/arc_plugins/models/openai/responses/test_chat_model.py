"""The Responses model: where it asks, what it learns, and what every chat model does."""

from dataclasses import replace
from typing import Any, get_type_hints

import pytest
from openai.types.responses.response_create_params import ResponseCreateParamsStreaming

from arc_core import (
    AssistantMessage,
    Attachment,
    ChatModel,
    ChatRequest,
    FinishReason,
    InvalidRequestError,
    Reasoning,
    ReasoningEffort,
    Text,
    ToolCall,
    ToolResult,
    ToolResultMessage,
    UserMessage,
    tool,
)
from arc_core.settings import LlmSettings
from arc_core.testing.conformance.models.chat_model import ChatModelConformance
from arc_core.testing.vendor_server import Reply, VendorServer
from arc_plugins.models.openai.responses.chat_model import OpenAIResponsesChatModel
from tests.arc_plugins.models.exchanges import ModelWithVendor, get_weather, reject
from tests.arc_plugins.models.openai.responses.answers import (
    added,
    completed,
    done,
    message,
    response,
    stream_of,
    text,
)

pytestmark = pytest.mark.usefixtures("openai_key")

THOUGHT_AND_CALLED = AssistantMessage(
    "",
    (ToolCall("call_1", "draw", "{}"),),
    (Reasoning("", "gAAA", redacted=True),),
    {"openai_responses": [{"type": "reasoning", "id": "rs_1"}, {"type": "function_call"}]},
)
RESULTS = ToolResultMessage((ToolResult("call_1", "draw", "Done."),))
QUESTION = ChatRequest(messages=(UserMessage("Hi"),), reasoning=ReasoningEffort.HIGH)
HELLO = message("Hello")
ANSWER = Reply.json(response(HELLO))
STREAM = Reply.events(
    stream_of(added(0, HELLO), text(0, "Hel"), text(0, "lo"), done(0, HELLO), completed(HELLO))
)


def model_at(server: VendorServer, **llm: Any) -> OpenAIResponsesChatModel:
    """A model that asks the server."""
    return OpenAIResponsesChatModel(settings=LlmSettings(base_url=f"{server.url}/v1", **llm))


async def test_the_request_goes_where_it_should(server: VendorServer) -> None:
    """Path and credentials are the API's."""
    server.add(ANSWER)
    model = model_at(server)

    answer = await model.complete(QUESTION)
    await model.aclose()

    request = server.requests[0]
    assert (request.method, request.path) == ("POST", "/v1/responses")
    assert request.headers["authorization"] == "Bearer sk-test"
    assert (answer.message.content, answer.finish_reason) == ("Hello", FinishReason.STOP)


async def test_it_streams(server: VendorServer) -> None:
    """Piece by piece."""
    server.add(STREAM)
    model = model_at(server)

    texts = [delta.text async for delta in model.stream(QUESTION)]
    await model.aclose()

    assert texts == ["Hel", "lo", None]
    assert server.requests[0].json()["stream"] is True


async def test_a_rejected_parameter_is_left_out_from_then_on(server: VendorServer) -> None:
    """One request is lost, once."""
    server.add(reject("reasoning.summary"), ANSWER, ANSWER)
    model = model_at(server)

    await model.complete(QUESTION)
    await model.complete(QUESTION)
    await model.aclose()

    sent = [request.json()["reasoning"] for request in server.requests]
    assert sent == [{"effort": "high", "summary": "auto"}, {"effort": "high"}, {"effort": "high"}]


async def test_reasoning_of_another_organization_costs_no_session(server: VendorServer) -> None:
    """It is left out of the request, and sent again in the next, which may be another session's."""
    unreadable = {"message": "could not be verified", "code": "invalid_encrypted_content"}
    server.add(Reply.json({"error": unreadable}, status=400), ANSWER, ANSWER)
    request = ChatRequest(messages=(UserMessage("Hi"), THOUGHT_AND_CALLED, RESULTS))
    model = model_at(server)

    await model.complete(request)
    await model.complete(request)
    await model.aclose()

    kinds = [[item.get("type") for item in each.json()["input"]] for each in server.requests]
    whole = [None, "reasoning", "function_call", "function_call_output"]
    assert kinds == [whole, [kind for kind in whole if kind != "reasoning"], whole]


async def test_a_server_without_the_api_is_told_what_to_do(server: VendorServer) -> None:
    """Most compatible servers speak only Chat Completions."""
    server.add(Reply(body=b"not found", status=404))
    model = model_at(server)

    with pytest.raises(InvalidRequestError, match=r'set llm\.api to "chat"'):
        await model.complete(QUESTION)
    await model.aclose()


@pytest.mark.parametrize(
    ("attachment", "kind"),
    [
        (Attachment("image/png", b"\x89PNG"), "input_image"),
        (Attachment("application/pdf", b"%PDF-", name="a.pdf"), "input_file"),
    ],
)
async def test_it_is_asked_about_what_is_attached(
    server: VendorServer, attachment: Attachment, kind: str
) -> None:
    """The picture or document goes with the question, and the answer comes back."""
    server.add(ANSWER)
    model = model_at(server)
    question = UserMessage((Text("What is it?"), attachment))

    answer = await model.complete(ChatRequest(messages=(question,)))
    await model.aclose()

    (sent,) = server.requests[0].json()["input"]
    assert [part["type"] for part in sent["content"]] == ["input_text", kind]
    assert answer.message.content == "Hello"


async def test_options_go_into_the_body(server: VendorServer) -> None:
    """Those of tool calls only together with tools."""
    server.add(ANSWER)
    options = {"top_p": 0.5, "verbosity": "low", "parallel_tool_calls": False}
    model = model_at(server, options=options, api_key="sk-own")

    await model.complete(QUESTION)
    await model.aclose()

    body = server.requests[0].json()
    assert (body["top_p"], body["text"]) == (0.5, {"verbosity": "low"})
    assert "parallel_tool_calls" not in body
    assert server.requests[0].headers["authorization"] == "Bearer sk-own"


async def test_the_vendor_may_search_tools_itself(server: VendorServer) -> None:
    """All are sent, and found by it; one that is always offered, or demanded, is there at once."""
    server.add(ANSWER, ANSWER)
    always = tool(name="always", always_offered=True)(lambda: "done")
    request = replace(QUESTION, tools=(get_weather, always), tool_choice="auto")
    model = model_at(server, options={"tool_search": True})

    await model.complete(request)
    await model.complete(replace(request, tool_choice="get_weather"))
    await model.aclose()

    found, demanded = (request.json()["tools"] for request in server.requests)
    assert [each.get("defer_loading", False) for each in found] == [True, False, False]
    assert found[-1] == {"type": "tool_search"}
    assert "defer_loading" not in demanded[0]
    assert "tool_search" not in server.requests[0].json()


def test_options_and_fields_are_the_apis() -> None:
    """What may be set, and what Arc writes, is known to the SDK."""
    vendor, known = OpenAIResponsesChatModel.vendor, get_type_hints(ResponseCreateParamsStreaming)

    assert vendor.options - known.keys() == {"tool_search", "verbosity"}
    assert vendor.own_fields <= known.keys()


@pytest.mark.parametrize(
    ("media_type", "expected"),
    [
        ("image/png", True),
        ("application/pdf", True),
        ("text/csv", True),
        ("application/json", True),
        ("audio/wav", False),
        ("image/tiff", False),
    ],
)
def test_it_says_what_it_takes(media_type: str, *, expected: bool) -> None:
    """Sounds are for other APIs of OpenAI's."""
    assert OpenAIResponsesChatModel(settings=LlmSettings()).accepts(media_type) is expected


class _LocalVendor(ModelWithVendor, OpenAIResponsesChatModel):
    """A model of OpenAI's with its vendor."""

    base_path = "/v1"


class TestConformance(ChatModelConformance):
    """What the engine relies on."""

    def make_model(self) -> ChatModel:
        return _LocalVendor(ANSWER, STREAM)

    def make_failing_model(self) -> ChatModel:
        failure = Reply.json({"error": {"message": "down"}}, status=500)
        return _LocalVendor(failure, failure)
