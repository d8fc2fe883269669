"""Bodies for Gemini, read by the types of Google's own SDK."""

import json
from dataclasses import replace
from typing import Any

import pytest
from google.genai import types
from pydantic import ValidationError

from arc_core import (
    AssistantMessage,
    ChatRequest,
    InvalidRequestError,
    Reasoning,
    ReasoningEffort,
    ResponseFormat,
    SystemMessage,
    Text,
    ToolCall,
    ToolOutcome,
    ToolResult,
    ToolResultMessage,
    UserMessage,
    tool,
)
from arc_core.messages.content import Attachment, Part
from arc_plugins.models.gemini.encode import GeminiDialect, GeminiRequestEncoder
from tests.arc_plugins.models.exchanges import City, get_weather
from tests.attached_files import IMAGE, PDF, SOUND, TEXT

NEWEST = "gemini-3.8-flash"
QUESTION = ChatRequest(messages=(UserMessage("Hi"),))
CALL = ToolCall("call_1", "get_weather", '{"city": "Seoul"}')
SIGNED = {"functionCall": {}, "thoughtSignature": "c2lnbmVk"}
ONLINE = Attachment("image/png", url="https://a.example/cat.png")
IN_JSON = replace(QUESTION, response_format=ResponseFormat.JSON, response_schema=City)
OLDER, PLAIN = GeminiDialect(is_older=True), GeminiDialect(is_older=True, is_plain=True)


def body_of(
    request: ChatRequest,
    *,
    model: str = NEWEST,
    dialect: GeminiDialect | None = None,
    **options: Any,
) -> Any:
    """The body of a request, as the vendor reads it, once the SDK's types have read it."""
    encoder = GeminiRequestEncoder(options)
    body = json.loads(encoder.encode(request, model=model, dialect=dialect or GeminiDialect()))
    check(body)
    return body


def check(body: dict[str, Any]) -> None:
    """Have the SDK's types read a body; they take no field that they do not know."""
    types.GenerationConfig.model_validate(body.get("generationConfig", {}))
    types.ToolConfig.model_validate(body.get("toolConfig", {}))
    for each in (*body["contents"], body.get("systemInstruction", {})):
        types.Content.model_validate(each)
    for each in body.get("tools", ()):
        types.Tool.model_validate(each)


def test_the_types_of_the_sdk_refuse_what_is_wrong() -> None:
    """Deep inside, too: else the other tests would show nothing."""
    with pytest.raises(ValidationError):
        check({"contents": [{"parts": [{"functionCall": {"arguments": {}}}]}]})


RESULTS = ToolResultMessage(
    (
        ToolResult("call_1", "get_weather", "sunny"),
        ToolResult("call_2", "get_weather", "no", ToolOutcome.FAILED),
    )
)


def test_a_conversation_has_turns_that_alternate() -> None:
    """A user begins, notes stand with the instructions, and results are of the user."""
    said = AssistantMessage("Hello.", (CALL, replace(CALL, id="call_2")))
    messages = (said, RESULTS, UserMessage("And now?"), SystemMessage("Be brief."))

    body = body_of(ChatRequest(messages=messages, system_prompt="Be kind."))

    left_out, called, answered = body["contents"]
    assert [turn["role"] for turn in body["contents"]] == ["user", "model", "user"]
    assert left_out["parts"] == [{"text": "(Earlier messages are left out.)"}]
    assert [part.get("functionCall", {}).get("id") for part in called["parts"]] == [
        None,
        "call_1",
        "call_2",
    ]
    responses = [part["functionResponse"]["response"] for part in answered["parts"][:2]]
    assert responses == [{"output": "sunny"}, {"error": "no"}]
    assert answered["parts"][2] == {"text": "And now?"}
    assert body["systemInstruction"] == {"parts": [{"text": "Be kind.\n\nBe brief."}]}


def test_signatures_go_back_with_the_parts_they_came_in() -> None:
    """To the byte; what the model thought does not."""
    content = {"gemini": [{"text": "", "thoughtSignature": "dGV4dA=="}, SIGNED]}
    message = AssistantMessage("", (CALL,), (Reasoning("Hm."),), content)

    body = body_of(ChatRequest(messages=(UserMessage("Hi"), message)))

    call = {"id": "call_1", "name": "get_weather", "args": {"city": "Seoul"}}
    assert body["contents"][1]["parts"] == [
        {"text": "", "thoughtSignature": "dGV4dA=="},
        {"functionCall": call, "thoughtSignature": "c2lnbmVk"},
    ]


@pytest.mark.parametrize(
    ("model", "signature"), [(NEWEST, "skip_thought_signature_validator"), ("gemini-2.5-pro", None)]
)
def test_calls_of_another_vendor_say_that_they_are_unsigned(
    model: str, signature: str | None
) -> None:
    """Gemini 3 demands that of the first call of a turn; older models know no such word."""
    foreign = AssistantMessage("", (CALL, replace(CALL, id="2")), vendor_content={"anthropic": []})

    body = body_of(ChatRequest(messages=(UserMessage("Hi"), foreign)), model=model)

    signatures = [part.get("thoughtSignature") for part in body["contents"][1]["parts"]]
    assert signatures == [signature, None]


@pytest.mark.parametrize("part", [IMAGE, ONLINE, PDF, SOUND, TEXT, Text("a")])
def test_attachments_of_people_and_tools_are_parts(part: Part) -> None:
    """Those of a result follow all results, since few models take them within."""
    results = ToolResultMessage((ToolResult("call_1", "get_weather", (Text("It"), part)),))
    messages = (UserMessage((part,)), AssistantMessage("", (CALL,)), results)

    asked, _, answered = body_of(ChatRequest(messages=messages))["contents"]

    if not isinstance(part, Text):
        assert answered["parts"][2] == asked["parts"][0]
    assert answered["parts"][0]["functionResponse"]["response"]["output"].startswith("It")


@pytest.mark.parametrize("media_type", ["image/gif", "application/zip"])
def test_what_the_models_do_not_take_is_refused(media_type: str) -> None:
    """By the name of the file."""
    attachment = Attachment(media_type, data=b"a", name="a.bin")

    with pytest.raises(InvalidRequestError, match=r"a\.bin"):
        body_of(ChatRequest(messages=(UserMessage((attachment,)),)))


@pytest.mark.parametrize(
    ("choice", "config"),
    [
        ("none", {"mode": "NONE"}),
        ("required", {"mode": "ANY"}),
        ("get_weather", {"mode": "ANY", "allowedFunctionNames": ["get_weather"]}),
    ],
)
def test_a_choice_of_tools_is_a_mode(choice: str, config: dict[str, Any]) -> None:
    """The usual one needs no word."""
    request = replace(QUESTION, tools=(get_weather,))

    assert body_of(replace(request, tool_choice=choice))["toolConfig"] == {
        "functionCallingConfig": config
    }
    assert "toolConfig" not in body_of(request)


@pytest.mark.parametrize(
    ("model", "dialect", "config"),
    [
        (NEWEST, GeminiDialect(), {"includeThoughts": True, "thinkingLevel": "LOW"}),
        (NEWEST, OLDER, {"includeThoughts": True, "thinkingBudget": 1024}),
        ("gemini-2.5-pro", GeminiDialect(), {"includeThoughts": True, "thinkingBudget": 1024}),
        (NEWEST, PLAIN, None),
    ],
)
def test_an_effort_is_a_level_or_a_budget(
    model: str, dialect: GeminiDialect, config: dict[str, Any] | None
) -> None:
    """As the model, or what it has refused, tells."""
    request = replace(QUESTION, reasoning=ReasoningEffort.LOW, max_output_tokens=9)

    body = body_of(request, model=model, dialect=dialect)

    assert body["generationConfig"].get("thinkingConfig") == config


@pytest.mark.parametrize(
    ("tools", "dialect", "is_sent"),
    [
        ((), GeminiDialect(), True),
        ((get_weather,), GeminiDialect(), True),
        ((), OLDER, True),
        ((get_weather,), OLDER, False),
        ((), PLAIN, False),
    ],
)
def test_a_schema_is_sent_where_it_is_taken(
    tools: tuple[Any, ...], dialect: GeminiDialect, *, is_sent: bool
) -> None:
    """Older models take none beside tools."""
    config = body_of(replace(IN_JSON, tools=tools), dialect=dialect).get("generationConfig", {})

    assert ("responseJsonSchema" in config) is is_sent
    assert ("responseMimeType" in config) is is_sent


def test_a_schema_that_cannot_be_said_is_left_out() -> None:
    """The prompt tells the form, and Arc checks the answer."""
    request = replace(IN_JSON, response_schema={"$ref": "https://a.example/b"})

    assert body_of(request)["generationConfig"] == {"responseMimeType": "application/json"}


def test_a_tool_that_cannot_be_offered_is_named() -> None:
    """The vendor would refuse the request without saying which tool it is about."""

    @tool(name="2fa")
    def check_code() -> str:
        """Checks."""
        return ""

    with pytest.raises(InvalidRequestError, match="'2fa' cannot be offered"):
        body_of(replace(QUESTION, tools=(check_code,)))


def test_options_stand_where_the_vendor_has_them() -> None:
    """One stop is a list of one."""
    config = body_of(QUESTION, stop="END", top_k=3, seed=7)["generationConfig"]

    assert config == {"stopSequences": ["END"], "topK": 3, "seed": 7}
