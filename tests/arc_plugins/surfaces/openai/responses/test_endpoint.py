"""Responses by the official SDK."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
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
    ToolCall,
    UserMessage,
    errors,
)
from arc_core.testing import BrokenOff, ScriptedChatModel
from tests.arc_plugins.surfaces.openai.clients import (
    REFUND,
    ROME,
    City,
    asking,
    get_weather,
    refund,
)

pytestmark = pytest.mark.slow

WEATHER = AssistantMessage(
    "Let me look.",
    (ToolCall("call-1", "get_weather", '{"city": "Rome"}'),),
    (Reasoning("Where is Rome?"),),
)


class SteppingModel(ScriptedChatModel):
    """Says a word for each step that it is let go."""

    def __init__(self, words: int) -> None:
        super().__init__([])
        self.words = words
        self.steps = asyncio.Semaphore(0)
        self.was_left = asyncio.Event()

    async def stream(self, request: ChatRequest) -> AsyncIterator[ChatDelta]:
        try:
            for number in range(self.words):
                await self.steps.acquire()
                yield ChatDelta(text=f"{number} ")
        finally:
            self.was_left.set()


async def ask(client: AsyncOpenAI, **fields: Any) -> Any:
    """A response of the default agent."""
    return await client.responses.create(**({"model": "default", "input": "hi"} | fields))


async def read_on(client: Any, response_id: str, **query: int) -> Any:
    """The events of a response."""
    return await client.responses.retrieve(response_id, stream=True, **query)


async def test_a_response_has_the_answer_and_its_tokens() -> None:
    """Its id leads to it again."""
    async with asking(ScriptedChatModel(["hello"])) as client:
        made = await ask(client, metadata={"shop": "7"})
        found = await client.responses.retrieve(made.id)

    assert (made.status, made.output_text, made.usage.total_tokens) == ("completed", "hello", 15)
    assert made.metadata == {"shop": "7", "run_id": made.id.removeprefix("resp_")}
    assert (found.output, found.usage, found.metadata) == (made.output, made.usage, made.metadata)


async def test_a_stream_tells_of_all_that_is_put_out() -> None:
    """Reasoning, commentary, the call of a tool and the answer, in numbered events."""
    async with asking(ScriptedChatModel([WEATHER, "It is sunny."]), get_weather) as client:
        async with client.responses.stream(model="default", input="hi") as stream:
            events = [event async for event in stream]
            final = await stream.get_final_response()
        found = await client.responses.retrieve(final.id)

    assert [item.type for item in final.output] == ["reasoning", "message", "mcp_call", "message"]
    assert [getattr(item, "phase", None) for item in final.output[1::2]] == [
        "commentary",
        "final_answer",
    ]
    call: Any = final.output[2]
    assert (call.name, call.output, call.status) == ("get_weather", "Sunny in Rome", "completed")
    numbers = [event.sequence_number for event in events]
    assert numbers == sorted(set(numbers))
    assert found.output_text == final.output_text == "Let me look.It is sunny."


async def test_what_a_response_put_out_can_be_sent_back() -> None:
    """As clients do that keep the conversation themselves."""
    model = ScriptedChatModel([WEATHER, "It is sunny.", "Yes."])

    async with asking(model, get_weather) as client:
        first = await ask(client, input="Weather?", store=False)
        asked = [{"role": "user", "content": "Weather?"}, *first.output]
        await ask(client, input=[*asked, {"role": "user", "content": "Sure?"}], store=False)

    request = model.requests[2]
    texts = [getattr(each, "text", None) for each in request.messages]
    assert texts == ["Weather?", "Let me look.", None, "It is sunny.", "Sure?"]


PARTS = [
    {"type": "input_text", "text": "Look."},
    {"type": "input_image", "image_url": "https://example.com/a", "detail": "auto"},
    {"type": "input_file", "filename": "a.pdf", "file_data": "data:application/pdf;base64,AA=="},
    {"type": "input_audio", "input_audio": {"data": "AA==", "format": "mp3"}},
]


async def test_the_input_becomes_a_command() -> None:
    """Instructions, images, files and sounds arrive at the model."""
    model = ScriptedChatModel(["yes"])
    messages = [{"role": "system", "content": "Be kind."}, {"role": "user", "content": PARTS}]

    async with asking(model) as client:
        await ask(client, input=messages, instructions="Be brief.", temperature=0)

    request = model.requests[0]
    (asked,) = request.messages
    assert request.system_prompt == "Be brief.\n\nBe kind."
    assert isinstance(asked, UserMessage)
    assert asked.content[1:] == (
        Attachment("image/jpeg", url="https://example.com/a", name="a"),
        Attachment("application/pdf", b"\0", name="a.pdf"),
        Attachment("audio/mpeg", b"\0"),
    )


async def test_a_response_continues_the_one_before() -> None:
    """Though the client has named no session."""
    model = ScriptedChatModel(["Hello Ann.", "Ann.", "Ann!"])

    async with asking(model) as client:
        first = await ask(client, input="I am Ann.", user="ann")
        second = await ask(client, input="Who am I?", previous_response_id=first.id)
        await ask(client, input="Louder.", conversation=second.conversation.id, user="ann")

    texts = [getattr(each, "text", "") for each in model.requests[2].messages]
    assert texts == ["I am Ann.", "Hello Ann.", "Who am I?", "Ann.", "Louder."]
    assert second.previous_response_id == first.id


async def test_three_responses_go_on_from_one() -> None:
    """Each knows what was said up to there, and nothing of the others; so do those after them."""
    model = ScriptedChatModel(["Hello Ann.", *(f"Answer {number}." for number in range(4))])

    async with asking(model) as client:
        root = await ask(client, input="I am Ann.", user="ann")
        one = await ask(client, input="One?", previous_response_id=root.id)
        async with asyncio.TaskGroup() as both:
            asked = both.create_task(ask(client, input="Two?", previous_response_id=root.id))
            lost = ask(client, input="Three?", previous_response_id=root.id, store=False)
            both.create_task(lost)
        two = asked.result()
        await ask(client, input="And then?", previous_response_id=one.id)
        [item] = (await client.responses.input_items.list(one.id)).data

    texts = [[getattr(part, "text", "") for part in each.messages] for each in model.requests]
    told = {each[-1]: each[:-1] for each in texts}
    begun = ["I am Ann.", "Hello Ann."]
    assert told["One?"] == told["Two?"] == told["Three?"] == begun
    assert told["And then?"] == [*begun, "One?", one.output_text]
    assert two.conversation.id != one.conversation.id
    assert item.to_dict()["content"] == [{"type": "input_text", "text": "One?"}]


async def test_a_response_that_goes_on_has_no_next() -> None:
    """It has nothing to go on from yet."""
    async with asking(ScriptedChatModel([REFUND]), refund) as client:
        waiting = await ask(client)
        with pytest.raises(openai.ConflictError):
            await ask(client, previous_response_id=waiting.id)


async def test_a_response_continues_one_conversation() -> None:
    """One that was stored, without another one beside it, and with what is new alone."""
    both = [{"role": "user", "content": "a"}, {"role": "user", "content": "b"}]

    async with asking(ScriptedChatModel(["x", "y"])) as client:
        stored, lost = await ask(client), await ask(client, store=False)
        wrong: list[dict[str, Any]] = [
            {"previous_response_id": lost.id},
            {"previous_response_id": stored.id, "conversation": "another"},
            {"previous_response_id": stored.id, "input": both},
        ]
        for fields in wrong:
            with pytest.raises(openai.UnprocessableEntityError):
                await ask(client, **fields)


async def test_structured_answers_are_parsed() -> None:
    """Whole and streamed, though there was a commentary and the answer had to be repaired."""
    model = ScriptedChatModel(
        [ROME.model_dump_json(), WEATHER, '{"name": "Rome"}', ROME.model_dump_json()]
    )

    async with asking(model, get_weather) as client:
        asked: dict[str, Any] = {"model": "default", "input": "hi", "text_format": City}
        whole = await client.responses.parse(**asked)
        async with client.responses.stream(**asked) as stream:
            final = await stream.get_final_response()

    assert [whole.output_parsed, final.output_parsed] == [ROME, ROME]


async def test_a_failure_is_an_exception_of_the_sdk() -> None:
    """In mid-stream, too, after the response was told to have failed."""
    broken = BrokenOff("one ", errors.ModelUnavailableError("gone"))
    types: list[str] = []

    async def read(stream: Any) -> None:
        async for event in stream:
            types.append(event.type)

    async with asking(ScriptedChatModel([errors.RateLimitError("x"), broken])) as client:
        with pytest.raises(openai.RateLimitError):
            await ask(client)
        stream = await ask(client, stream=True)
        with pytest.raises(openai.APIError) as raised:
            await read(stream)

    assert raised.value.code == "UNAVAILABLE"
    assert types[-2:] == ["response.output_item.done", "response.failed"]


async def test_a_failed_response_can_be_retrieved() -> None:
    """It says why."""
    async with asking(ScriptedChatModel([errors.ContextTooLongError("x")])) as client:
        with pytest.raises(openai.APIStatusError) as raised:
            await ask(client)
        run_id = raised.value.response.headers["x-run-id"]
        found = await client.responses.retrieve(f"resp_{run_id}")

    assert found.status == "failed"
    assert found.error is not None
    assert found.error.code == "invalid_prompt"


async def read_until(stream: Any, events: list[Any], model: SteppingModel, piece: str) -> None:
    """Read up to a piece, or to the end, and lose the connection."""
    model.steps.release()
    async for event in stream:
        events.append(event)
        if event.type == "response.output_text.delta":
            model.steps.release()
            if event.delta == piece:
                break
    await stream.close()


async def test_a_client_reconnects_to_a_stream_after_five_cuts() -> None:
    """No piece comes twice, and none is missing."""
    model = SteppingModel(30)
    events: list[Any] = []

    async with asking(model) as client:
        stream = await ask(client, stream=True, background=True)
        for piece in ("0 ", "4 ", "5 ", "9 ", "20 ", ""):
            await read_until(stream, events, model, piece)
            response_id, after = events[0].response.id, events[-1].sequence_number
            stream = await read_on(client, response_id, starting_after=after)
        rest = [event async for event in stream]

    deltas = [each.delta for each in events if each.type == "response.output_text.delta"]
    assert deltas == [f"{number} " for number in range(30)]
    assert (events[-1].type, rest) == ("response.completed", [])
    numbers = [event.sequence_number for event in events]
    assert numbers == sorted(set(numbers))


async def test_every_reading_has_the_same_numbers() -> None:
    """Whatever the reader has of it already."""
    async with asking(ScriptedChatModel([WEATHER, "It is sunny."]), get_weather) as client:
        live = [event async for event in await ask(client, stream=True)]
        response_id = live[0].response.id
        for place in (0, 5, len(live) - 1):
            after = live[place].sequence_number
            again = await read_on(client, response_id, starting_after=after)
            rest = [event async for event in again]
            assert [_told(each) for each in rest] == [_told(each) for each in live[place + 1 :]]


async def test_a_client_reconnects_to_a_durable_response_on_another_server(tmp_path: Path) -> None:
    """Its events have the numbers that they had."""
    durable = {"enabled": True, "url": f"sqlite:///{tmp_path}/runs.db"}
    turns: list[Any] = [WEATHER, "It is sunny."]

    async with asking(ScriptedChatModel(turns), get_weather, durable=durable) as client:
        live = [event async for event in await ask(client, stream=True)]
    last = live[9].sequence_number
    async with asking(ScriptedChatModel([]), get_weather, durable=durable) as client:
        again = await read_on(client, live[0].response.id, starting_after=last)
        rest = [event async for event in again]

    assert [_told(each) for each in rest] == [_told(each) for each in live[10:]]
    assert rest[-1].response.output == live[-1].response.output


def _told(event: Any) -> tuple[Any, ...]:
    """What an event says, without the response that it repeats."""
    return event.sequence_number, event.type, getattr(event, "delta", getattr(event, "item", None))


async def test_a_background_response_goes_on_by_itself() -> None:
    """It is queued or in progress until it is completed, or cancelled."""
    model = SteppingModel(1)

    async with asking(model) as client:
        made = await ask(client, background=True)
        found = await client.responses.retrieve(made.id)
        cancelled = await client.responses.cancel(made.id)
        async with asyncio.timeout(30):
            stream = await read_on(client, made.id)
            with pytest.raises(openai.APIError):
                [event async for event in stream]
        ended = await client.responses.cancel(made.id)

    assert made.status == "queued"
    assert made.background
    assert found.status == "in_progress"
    assert (cancelled.status, ended.status) == ("cancelled", "cancelled")


async def test_a_client_that_leaves_a_stream_cancels_its_run() -> None:
    """Within a second."""
    model = SteppingModel(2)

    async with asking(model) as client:
        stream = await ask(client, stream=True)
        model.steps.release()
        async for event in stream:
            if event.type == "response.output_text.delta":
                break
        await stream.close()
        async with asyncio.timeout(30):
            await model.was_left.wait()


async def test_a_run_that_waits_resumes_after_the_decision() -> None:
    """Its response is completed with a text that says so, and then with the answer."""
    model = ScriptedChatModel([REFUND, "Paid."])

    async with asking(model, refund) as client:
        waiting = [event async for event in await ask(client, stream=True)]
        response = waiting[-1].response
        run_id = response.metadata["run_id"]
        decision = {"key": "approve/0", "approve": True}
        await client.post(
            f"{client.base_url}".replace("/v1/", f"/api/runs/{run_id}/decisions"),
            body=decision,
            cast_to=object,
        )
        after = waiting[-1].sequence_number
        again = await read_on(client, response.id, starting_after=after)
        rest = [event async for event in again]

    assert response.metadata["state"] == "waiting"
    assert response.output_text.endswith("who has to approve or deny: refund")
    assert rest[-1].response.output_text == "Paid."
    assert not {e.sequence_number for e in waiting} & {e.sequence_number for e in rest}


WRONG = [
    ("resp_unknown", {}, 404, "not_found"),
    ("run-1", {}, 404, "not_found"),
    (None, {"starting_after": 99_999}, 400, "invalid_position"),
]


@pytest.mark.parametrize(("response_id", "query", "status", "code"), WRONG)
async def test_what_there_is_not_is_not_read(
    response_id: str | None, query: dict[str, int], status: int, code: str
) -> None:
    """Neither a response nor an event of it."""
    async with asking(ScriptedChatModel(["hello"])) as client:
        made = await ask(client)
        with pytest.raises(openai.APIStatusError) as raised:
            await read_on(client, response_id or made.id, **query)

    assert (raised.value.status_code, raised.value.code) == (status, code)
