"""OpenAI's own chunk class, assembled: as the SDK does where it is right, and right where not."""

import copy
import json
import subprocess
import sys
from collections.abc import Iterable, Iterator
from typing import Any

import pytest
from openai._models import construct_type
from openai.lib.streaming.chat import ChatCompletionStreamState
from openai.types.chat import ChatCompletionChunk

from arc_core.assembly import ReflectiveAssembler
from arc_plugins.models.openai.chat.assembly_rules import CHAT_CHUNK_RULES
from tests.wire.recorded import Recording, every_stream

CHAT_STREAMS = every_stream(lambda recording: recording.is_chat)
WHERE_THE_SDK_IS_RIGHT = every_stream(
    lambda recording: recording.is_chat and recording.facts.get("agree") is True
)


def chunks_of(payloads: Iterable[Any]) -> Iterator[ChatCompletionChunk]:
    """Chunks as the SDK makes them of JSON values, without validation."""
    for payload in payloads:
        chunk: Any = construct_type(type_=ChatCompletionChunk, value=copy.deepcopy(payload))
        yield chunk


def assembled(payloads: Iterable[Any]) -> ChatCompletionChunk:
    """What chunks become by the rules."""
    assembler = ReflectiveAssembler.of(ChatCompletionChunk, rules=CHAT_CHUNK_RULES)
    for chunk in chunks_of(payloads):
        assembler.apply_delta(chunk)
    return assembler.build()


def of_deltas(*deltas: dict[str, Any]) -> Any:
    """The message that chunks with these deltas become."""
    return (
        assembled({"choices": [{"index": 0, "delta": delta}]} for delta in deltas).choices[0].delta
    )


def encode_payloads(recording: Recording) -> list[Any]:
    """The chunks of a recorded stream, as JSON values."""
    lines = recording.body.decode().splitlines()
    return [json.loads(line[6:]) for line in lines if line.startswith("data: {")]


def facts_of(completion: Any) -> dict[str, Any]:
    """What is said of a stream in the index of the recordings, of a chunk or of a completion."""
    return {
        "id": completion.id,
        "model": completion.model,
        "usage": completion.usage.to_dict() if completion.usage else None,
        "choices": [_choice_facts(choice) for choice in completion.choices],
    }


def _choice_facts(choice: Any) -> dict[str, Any]:
    message = choice.delta if hasattr(choice, "delta") else choice.message
    extra = message.model_extra
    return {
        "index": choice.index,
        "finish_reason": choice.finish_reason,
        "content": message.content or "",
        "refusal": message.refusal,
        "reasoning": extra.get("reasoning_content") or extra.get("reasoning"),
        "tool_calls": [
            {"id": call.id, "name": call.function.name, "arguments": call.function.arguments or ""}
            for call in message.tool_calls or ()
        ],
    }


@pytest.mark.parametrize("recording", WHERE_THE_SDK_IS_RIGHT)
def test_the_sdks_own_accumulator_says_the_same(recording: Recording) -> None:
    """Where the SDK agrees with an independent reading, the rules give what it gives."""
    payloads = encode_payloads(recording)
    state: ChatCompletionStreamState[Any] = ChatCompletionStreamState()
    for chunk in chunks_of(payloads):
        state.handle_chunk(chunk)

    found, expected = facts_of(assembled(payloads)), facts_of(state.current_completion_snapshot)

    # the SDK keeps id and model of the first chunk, which are empty in Azure's
    known = {name: expected[name] or found[name] for name in ("id", "model")}
    assert found == expected | known


@pytest.mark.parametrize("recording", CHAT_STREAMS)
def test_every_recorded_stream_is_read_right(recording: Recording) -> None:
    """Everything is as an independent reading has it; a role is a role however often it comes."""
    expected = copy.deepcopy(recording.facts["expected_plain"])
    # Mistral's content may be a list of parts, of which the text is assembled, not the thinking
    for choice in expected["choices"] if "content_is_list" in recording.facts["flags"] else ():
        choice["reasoning"] = None

    chunk = assembled(encode_payloads(recording))

    assert facts_of(chunk) == expected
    assert {choice.delta.role for choice in chunk.choices} <= {"assistant", None}


def call(index: int | None, call_id: str | None = None, **function: Any) -> dict[str, Any]:
    """A delta with a fragment of a call."""
    return {"tool_calls": [{"index": index, "id": call_id, "function": function}]}


def test_calls_may_begin_in_any_order() -> None:
    """Indexes 0, 2, 1 are three calls: the SDK takes an index for a position, and mixes them up."""
    message = of_deltas(
        call(0, "a", name="f", arguments="{}"),
        call(2, "c", name="h", arguments="{"),
        call(1, "b", name="g", arguments="{}"),
        call(2, arguments="}"),
    )

    calls = [(each.id, each.function.name, each.function.arguments) for each in message.tool_calls]
    assert calls == [("a", "f", "{}"), ("b", "g", "{}"), ("c", "h", "{}")]


def test_ids_and_names_may_be_repeated() -> None:
    """What comes with every fragment comes once: the SDK appends it, and the tool is not found."""
    message = of_deltas(
        call(0, "a", name="weather", arguments="{"),
        call(0, "a", name="weather", arguments="}"),
        call(0, "", name=""),
    )

    (found,) = message.tool_calls
    assert (found.id, found.function.name, found.function.arguments) == ("a", "weather", "{}")


def test_names_may_come_in_pieces() -> None:
    """As in OpenAI's own description of its streams."""
    message = of_deltas(call(0, "a", name="get"), call(0, name="_weather"))

    assert message.tool_calls[0].function.name == "get_weather"


@pytest.mark.parametrize("index", [0, None])
def test_calls_of_one_index_differ_by_their_ids(index: int | None) -> None:
    """Servers that send 0, or nothing, for every call send an id with each of them."""
    message = of_deltas(
        call(index, "a", name="f", arguments="{}"), call(index, "b", name="g", arguments="{}")
    )

    assert [each.id for each in message.tool_calls] == ["a", "b"]


def test_numbers_are_not_summed() -> None:
    """A number that comes again replaces the one before it: the SDK adds them up."""
    message = of_deltas(
        {"audio": {"id": "x", "data": "AA", "expires_at": 100}},
        {"audio": {"data": "BB", "expires_at": 100}},
    )

    assert (message.audio.expires_at, message.audio.data) == (100, "AABB")


def test_arguments_may_be_an_object() -> None:
    """Some servers send what they should have sent as text."""
    message = of_deltas(call(0, "a", name="f", arguments={"city": "Seoul"}))

    assert json.loads(message.tool_calls[0].function.arguments) == {"city": "Seoul"}


def test_content_may_be_a_list_of_parts() -> None:
    """The text of the parts counts, whatever else is in them."""
    parts = [{"type": "text", "text": "Hel"}, {"type": "image"}, {"type": "text", "text": None}]

    message = of_deltas({"content": parts}, {"content": "lo"}, {"content": [{"type": "text"}]})

    assert message.content == "Hello"


def test_token_probabilities_are_collected() -> None:
    """Each chunk has those of its own tokens."""
    tokens: list[Any] = [
        {"token": token, "logprob": -1.0, "top_logprobs": []} for token in ("a", "b")
    ]
    chunk = assembled(
        {"choices": [{"index": 0, "delta": {}, "logprobs": {"content": [token]}}]}
        for token in tokens
    )

    logprobs = chunk.choices[0].logprobs
    assert logprobs is not None
    assert [each.token for each in logprobs.content or ()] == ["a", "b"]


def test_the_old_function_call_is_assembled() -> None:
    """What came before tool calls is one call without an index."""
    message = of_deltas(
        {"function_call": {"name": "f", "arguments": "{"}}, {"function_call": {"arguments": "}"}}
    )

    assert (message.function_call.name, message.function_call.arguments) == ("f", "{}")


def test_the_rules_need_no_sdk() -> None:
    """Importing them imports nothing of OpenAI's."""
    rules = "arc_plugins.models.openai.chat.assembly_rules"
    program = f"import sys, {rules}; sys.exit('openai' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
