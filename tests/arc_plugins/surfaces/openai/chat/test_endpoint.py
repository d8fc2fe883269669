"""Chat completions by the official SDK."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import openai
import pytest
from openai import AsyncOpenAI

from arc_core import (
    AssistantMessage,
    Attachment,
    ChatDelta,
    ChatRequest,
    Reasoning,
    TokenUsage,
    ToolCall,
    UserMessage,
    errors,
)
from arc_core.testing import BrokenOff, ScriptedChatModel
from arc_plugins.surfaces.openai.chat import endpoint
from tests.arc_plugins.surfaces.openai.clients import (
    REFUND,
    ROME,
    City,
    asking,
    get_weather,
    refund,
    say,
)

pytestmark = pytest.mark.slow

WEATHER = [ToolCall("call-1", "get_weather", '{"city": "Rome"}')]


class SilentModel(ScriptedChatModel):
    """Says something, and then nothing until it is left."""

    def __init__(self) -> None:
        super().__init__([])
        self.was_left = asyncio.Event()

    async def stream(self, request: ChatRequest) -> AsyncIterator[ChatDelta]:
        try:
            yield ChatDelta(text="wait")
            await asyncio.Event().wait()
        finally:
            self.was_left.set()


async def ask(client: AsyncOpenAI, **fields: Any) -> Any:
    """A completion of the default agent."""
    given = {"model": "default", "messages": say("hi")} | fields
    return await client.chat.completions.create(**given)


async def read(stream: Any, texts: list[str]) -> None:
    """Collect the pieces of a stream, as far as it comes."""
    async for chunk in stream:
        texts.append(chunk.choices[0].delta.content or "")


async def test_a_completion_has_the_answer_and_its_tokens() -> None:
    """The id leads to the run."""
    usage = TokenUsage(20, 7, cached_tokens=3, reasoning_tokens=2)
    async with asking(ScriptedChatModel(["hello"], usage=usage)) as client:
        answer = await ask(client)

    choice = answer.choices[0]
    assert (choice.message.content, choice.finish_reason) == ("hello", "stop")
    assert (answer.usage.prompt_tokens, answer.usage.completion_tokens) == (20, 7)
    assert answer.usage.total_tokens == 27
    assert answer.usage.prompt_tokens_details.cached_tokens == 3
    assert answer.usage.completion_tokens_details.reasoning_tokens == 2
    assert answer.id == f"chatcmpl-{answer.metadata['run_id']}"


async def test_a_stream_has_the_pieces_and_at_last_the_tokens() -> None:
    """The reason of the end comes after all text, and before the tokens."""
    async with asking(ScriptedChatModel(["one two three"])) as client:
        stream = await ask(client, stream=True, stream_options={"include_usage": True})
        chunks = [chunk async for chunk in stream]

    texts = [chunk.choices[0].delta.content for chunk in chunks[:-2]]
    assert texts == ["", "one ", "two ", "three"]
    assert chunks[0].choices[0].delta.role == "assistant"
    assert chunks[-2].choices[0].finish_reason == "stop"
    assert (chunks[-1].choices, chunks[-1].usage.total_tokens) == ([], 15)
    assert len({chunk.id for chunk in chunks}) == 1


async def test_a_stream_without_options_tells_no_tokens() -> None:
    """As OpenAI's does."""
    async with asking(ScriptedChatModel(["one"])) as client:
        chunks = [chunk async for chunk in await ask(client, stream=True)]

    assert all(chunk.usage is None and chunk.choices for chunk in chunks)


@pytest.mark.parametrize("streams", [False, True])
async def test_tools_of_the_run_stay_on_the_server(streams: bool) -> None:  # noqa: FBT001
    """The client sees an answer, and nothing that it would have to call."""
    model = ScriptedChatModel([WEATHER, "It is sunny."])

    async with asking(model, get_weather) as client:
        answer = await ask(client, stream=streams)
        chunks = [chunk async for chunk in answer] if streams else []

    if streams:
        assert "".join(c.choices[0].delta.content or "" for c in chunks) == "It is sunny."
        assert all(chunk.choices[0].delta.tool_calls is None for chunk in chunks)
    else:
        assert answer.choices[0].message.content == "It is sunny."
        assert answer.choices[0].message.tool_calls is None
        assert answer.choices[0].finish_reason == "stop"


async def test_reasoning_is_streamed_beside_the_text() -> None:
    """Under the name that other vendors use."""
    turn = AssistantMessage("yes", reasoning=(Reasoning("let me see"),))
    async with asking(ScriptedChatModel([turn, turn])) as client:
        chunks = [chunk async for chunk in await ask(client, stream=True)]
        whole = await ask(client)

    deltas = [chunk.choices[0].delta for chunk in chunks]
    assert "".join(getattr(d, "reasoning_content", "") for d in deltas) == "let me see"
    assert "".join(delta.content or "" for delta in deltas) == "yes"
    assert whole.choices[0].message.reasoning_content == "let me see"


PNG = {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}}
PDF = {"type": "file", "file": {"filename": "a.pdf", "file_data": "JVBERi0="}}
CONVERSATION = [
    {"role": "system", "content": "Be brief."},
    {"role": "developer", "content": "Be kind."},
    {"role": "user", "content": [{"type": "text", "text": "Look."}, PNG]},
    {"role": "assistant", "content": "I see."},
    {"role": "user", "content": [{"type": "text", "text": "And this?"}, PDF]},
]


async def test_a_conversation_becomes_a_command() -> None:
    """Instructions, earlier messages, images and files arrive at the model."""
    model = ScriptedChatModel(["yes"])

    async with asking(model) as client:
        await ask(client, messages=CONVERSATION, temperature=0.5, user="ann")

    request = model.requests[0]
    first, second, last = request.messages
    assert request.system_prompt == "Be brief.\n\nBe kind."
    assert isinstance(first, UserMessage)
    assert Attachment("image/png", b"\x89PNG\r\n\x1a\n") in first.content
    assert second == AssistantMessage("I see.")
    assert isinstance(last, UserMessage)
    assert Attachment("application/pdf", b"%PDF-", name="a.pdf") in last.content
    assert request.temperature == 0.5


async def test_the_header_names_the_session() -> None:
    """What was said in it is there in the next request."""
    model = ScriptedChatModel(["Hello Ann.", "Ann."])

    async with asking(model) as client:
        session = {"extra_headers": {"X-Session-Id": "s-1"}, "user": "ann"}
        await ask(client, messages=say("I am Ann."), **session)
        await ask(client, messages=say("Who am I?"), **session)

    texts = [getattr(each, "text", "") for each in model.requests[1].messages]
    assert texts == ["I am Ann.", "Hello Ann.", "Who am I?"]


async def test_structured_answers_are_parsed() -> None:
    """Whole and streamed, though the first one had to be repaired."""
    model = ScriptedChatModel(['{"name": "Rome"}', *[ROME.model_dump_json()] * 2])

    async with asking(model) as client:
        asked: dict[str, Any] = {"model": "default", "messages": say("hi"), "response_format": City}
        whole = await client.chat.completions.parse(**asked)
        async with client.chat.completions.stream(**asked) as stream:
            final = await stream.get_final_completion()

    assert [each.choices[0].message.parsed for each in (whole, final)] == [ROME, ROME]


async def test_a_json_object_needs_no_schema() -> None:
    """What the model says is JSON."""
    async with asking(ScriptedChatModel(['{"a": 1}'])) as client:
        answer = await ask(client, response_format={"type": "json_object"})

    assert answer.choices[0].message.content == '{"a": 1}'


FAILURES = [
    (errors.RateLimitError("x"), openai.RateLimitError, 429),
    (errors.RefusedError("x"), openai.UnprocessableEntityError, 422),
    (errors.ContextTooLongError("x"), openai.APIStatusError, 413),
    (errors.ModelOverloadedError("x"), openai.InternalServerError, 503),
    (errors.ModelUnavailableError("x"), openai.InternalServerError, 503),
    (errors.ModelTimeoutError("x"), openai.InternalServerError, 504),
    (errors.AuthenticationError("x"), openai.InternalServerError, 502),
    (RuntimeError("x"), openai.InternalServerError, 500),
]


@pytest.mark.parametrize("streams", [False, True])
@pytest.mark.parametrize(("error", "expected", "status"), FAILURES, ids=repr)
async def test_failures_are_exceptions_of_the_sdk(
    error: Exception,
    expected: type[openai.APIStatusError],
    status: int,
    streams: bool,  # noqa: FBT001
) -> None:
    """A stream that has not begun fails with the status, too."""
    async with asking(ScriptedChatModel([error])) as client:
        with pytest.raises(expected) as raised:
            await ask(client, stream=streams)

    assert raised.value.status_code == status
    assert ("retry-after" in raised.value.response.headers) is (status in {429, 503})
    assert raised.value.code
    assert "Traceback" not in raised.value.response.text


async def test_a_rejected_prompt_is_forbidden() -> None:
    """Guards speak in the SDK's words."""
    async with asking(ScriptedChatModel([]), guard={"max_input_chars": 3}) as client:
        with pytest.raises(openai.PermissionDeniedError) as raised:
            await ask(client, messages=say("too long"))

    assert raised.value.code == "GUARD_REJECTED"


async def test_a_failure_in_mid_stream_is_raised() -> None:
    """After the text that was sent."""
    broken = BrokenOff("one two", errors.ModelUnavailableError("gone"))
    texts: list[str] = []

    async with asking(ScriptedChatModel([broken])) as client:
        stream = await ask(client, stream=True)
        with pytest.raises(openai.APIError) as raised:
            await read(stream, texts)

    assert "".join(texts) == "one two"
    assert raised.value.code == "UNAVAILABLE"


@pytest.mark.parametrize("streams", [False, True])
async def test_a_run_that_waits_says_so(streams: bool) -> None:  # noqa: FBT001
    """It stops with a text, and the id of the run is told."""
    async with asking(ScriptedChatModel([REFUND]), refund) as client:
        answer = await ask(client, stream=streams)
        last = [chunk async for chunk in answer] if streams else [answer]
        text = "".join(
            (each.choices[0].delta if streams else each.choices[0].message).content or ""
            for each in last
        )
        run_id = last[-1].metadata["run_id"]
        waiting = await client.responses.retrieve(f"resp_{run_id}")

    assert last[-1].choices[0].finish_reason == "stop"
    assert last[-1].metadata["state"] == "waiting"
    assert text == f"The run {run_id} waits for a person, who has to approve or deny: refund"
    assert waiting.output_text == text


async def test_the_words_of_a_run_that_waits_are_a_setting() -> None:
    """By both APIs, whole and in pieces, and without the names of tools."""
    server = {"waiting_message": "Please wait, {{a colleague}} looks at {run_id}."}
    async with asking(ScriptedChatModel([REFUND] * 4), refund, server=server) as client:
        completion = await ask(client)
        pieces = [chunk async for chunk in await ask(client, stream=True)]
        response = await client.responses.create(model="default", input="Hi")

    text = completion.choices[0].message.content
    assert text == f"Please wait, {{a colleague}} looks at {completion.metadata['run_id']}."
    assert "a colleague" in "".join(each.choices[0].delta.content or "" for each in pieces)
    assert "a colleague" in response.output_text
    assert "refund" not in response.output_text + text


async def test_a_run_that_waits_has_no_value() -> None:
    """The SDK does not take the text for JSON."""
    asked: dict[str, Any] = {"model": "default", "messages": say("hi"), "response_format": City}

    async with asking(ScriptedChatModel([REFUND, REFUND]), refund) as client:
        whole = await client.chat.completions.parse(**asked)
        async with client.chat.completions.stream(**asked) as stream:
            final = await stream.get_final_completion()

    for answer in (whole, final):
        assert answer.choices[0].message.parsed is None
        assert "waits for a person" in (answer.choices[0].message.content or "")


async def test_a_client_that_leaves_a_stream_cancels_its_run() -> None:
    """Within a second."""
    model = SilentModel()

    async with asking(model) as client:
        stream = await ask(client, stream=True)
        await anext(aiter(stream))
        await stream.close()
        async with asyncio.timeout(30):
            await model.was_left.wait()


@pytest.mark.parametrize("streams", [False, True])
async def test_a_client_that_leaves_before_an_answer_cancels_its_run(
    streams: bool,  # noqa: FBT001
) -> None:
    """Also one that has not been answered at all."""
    model, asked = SilentModel(), asyncio.Event()

    async def stay_silent(request: ChatRequest) -> AsyncIterator[ChatDelta]:
        asked.set()
        try:
            await asyncio.Event().wait()
            yield ChatDelta()
        finally:
            model.was_left.set()

    model.stream = stay_silent  # type: ignore[method-assign]
    async with asking(model) as client:
        task = asyncio.create_task(ask(client, stream=streams))
        await asked.wait()
        task.cancel()
        async with asyncio.timeout(30):
            await model.was_left.wait()


async def test_a_client_is_answered_though_nothing_is_known_yet(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """After a while, so that it does not give up; what fails later fails in mid-stream."""
    monkeypatch.setattr(endpoint, "_PATIENCE_S", 0.01)
    model, goes_on = SilentModel(), asyncio.Event()

    async def fail_later(request: ChatRequest) -> AsyncIterator[ChatDelta]:
        await goes_on.wait()
        yield ChatDelta()
        raise errors.RateLimitError("x")

    model.stream = fail_later  # type: ignore[method-assign]
    async with asking(model) as client:
        stream = await ask(client, stream=True)
        first = await anext(aiter(stream))
        goes_on.set()
        with pytest.raises(openai.APIError) as raised:
            await read(stream, [])

    assert first.choices[0].delta.role == "assistant"
    assert raised.value.code == "RATE_LIMITED"
