"""Questions and logins as calls of functions, answered by the official SDK."""

import json
from typing import Any

import openai
import pytest

from arc_core.testing.fakes import DictCredentials
from tests.arc_plugins.surfaces.openai.clients import asking, say
from tests.arc_plugins.surfaces.served_apps import SIZE, issues, make_obedient_model, order


async def chat(client: Any, messages: list[Any], *, streams: bool) -> tuple[str, list[Any], str]:
    """The text of a completion, its calls, and the reason of its end."""
    answer = await client.chat.completions.create(
        model="default", messages=messages, stream=streams, user="ann"
    )
    if not streams:
        [choice] = answer.choices
        return choice.message.content, choice.message.tool_calls or [], choice.finish_reason
    chunks = [chunk async for chunk in answer]
    deltas = [chunk.choices[0].delta for chunk in chunks]
    text = "".join(each.content or "" for each in deltas)
    calls = [call for each in deltas for call in each.tool_calls or ()]
    return text, calls, chunks[-1].choices[0].finish_reason


def output(call: Any, said: str) -> list[Any]:
    """Messages with what a client says of a call."""
    function = {"name": call.function.name, "arguments": call.function.arguments}
    made = {"id": call.id, "type": "function", "function": function}
    return [
        {"role": "assistant", "tool_calls": [made]},
        {"role": "tool", "tool_call_id": call.id, "content": said},
    ]


@pytest.mark.parametrize("streams", [False, True])
@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ('{"size": 40}', "Then: ordered size 40"),
        ('{"declined": "later"}', "The question to the user was denied: later"),
    ],
)
async def test_a_question_is_a_call_whose_output_is_the_answer(
    said: str,
    expected: str,
    streams: bool,  # noqa: FBT001
) -> None:
    """The completion that has the output goes on with the run that has asked."""
    async with asking(make_obedient_model(), order) as client:
        text, [call], reason = await chat(client, say("order"), streams=streams)
        messages = [*say("order"), *output(call, said)]
        answer, calls, ended = await chat(client, messages, streams=streams)

    told = json.loads(call.function.arguments)
    assert (text, reason, call.function.name) == ("Which size?", "tool_calls", "arc_question")
    assert (told["text"], told["schema"]) == ("Which size?", SIZE)
    assert (calls, ended) == ([], "stop")
    assert expected in answer


async def test_an_output_that_does_not_fit_is_refused() -> None:
    """The run waits on."""
    async with asking(make_obedient_model(), order) as client:
        _, [call], _ = await chat(client, say("order"), streams=False)
        with pytest.raises(openai.APIStatusError, match="size"):
            await chat(client, output(call, '{"size": "XL"}'), streams=False)
        answer, _, _ = await chat(client, output(call, '{"size": 2}'), streams=False)

    assert answer == "Then: ordered size 2"


async def test_a_login_is_a_call_that_no_output_makes() -> None:
    """It can be declined."""
    async with asking(make_obedient_model(), issues, DictCredentials()) as client:
        text, [call], _ = await chat(client, say("issues"), streams=False)
        with pytest.raises(openai.APIStatusError, match="waits for a login"):
            await chat(client, output(call, "done"), streams=False)
        answer, _, _ = await chat(client, output(call, '{"declined": ""}'), streams=False)

    told = json.loads(call.function.arguments)
    assert (call.function.name, told["service"]) == ("arc_login", "github")
    assert told["url"] in text
    assert "login at github was denied" in answer


@pytest.mark.parametrize("streams", [False, True])
async def test_a_response_goes_on_after_the_output_of_its_call(
    streams: bool,  # noqa: FBT001
) -> None:
    """It is the same response, without the question once that is answered."""
    async with asking(make_obedient_model(), order) as client:
        asked = await client.responses.create(model="default", input="order")
        [call] = [each for each in asked.output if each.type == "function_call"]
        said: Any = {
            "type": "function_call_output",
            "call_id": call.call_id,
            "output": '{"size": 2}',
        }
        create: Any = client.responses.create
        ended = await create(
            model="default", previous_response_id=asked.id, input=[said], stream=streams
        )
        if streams:
            ended = [event async for event in ended][-1].response

    kinds = [each.type for each in ended.output]
    assert json.loads(call.arguments)["schema"] == SIZE
    assert (ended.id, ended.output_text) == (asked.id, "Then: ordered size 2")
    assert "function_call" not in kinds


async def test_an_output_for_another_response_is_refused() -> None:
    """Nothing is decided then."""
    async with asking(make_obedient_model(), order) as client:
        asked = await client.responses.create(model="default", input="order")
        other = await client.responses.create(model="default", input="hello")
        [call] = [each for each in asked.output if each.type == "function_call"]
        said: Any = {"type": "function_call_output", "call_id": call.call_id, "output": "{}"}
        create: Any = client.responses.create
        with pytest.raises(openai.APIStatusError, match="not the response that has asked"):
            await create(model="default", previous_response_id=other.id, input=[said])
