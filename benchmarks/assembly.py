"""What assembling a delta costs, alone: `python -m benchmarks.assembly`.

One stream of chat chunks, in several forms, by Arc's assembler, by the accumulators of the vendors'
SDKs, and by two loops written for nothing else. Contestants take turns in one process; figures are
medians in microseconds per delta, with the build at the end. The last column says how many times
longer the longest stream takes than one of a tenth of its length: 10 is linear. The longest streams
need 2 GB of memory.
"""

import argparse
import gc
import statistics
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, TypedDict

import msgspec
from anthropic._models import construct_type as anthropic_object
from anthropic.lib.streaming._messages import accumulate_event
from anthropic.types import RawMessageStreamEvent
from openai._models import construct_type as openai_object
from openai.lib.streaming.chat import ChatCompletionStreamState
from openai.types.chat import ChatCompletionChunk

from arc_core.assembly import ReflectiveAssembler, StreamAppend, StreamIndex, StreamIndexedList
from arc_plugins.models.anthropic.assembly_rules import MessagePieces, pieces_of
from arc_plugins.models.openai.chat.assembly_rules import CHAT_CHUNK_RULES
from tests.arc_core.assembly.chat_records import Delta

LENGTHS = (2_000, 20_000, 200_000)
WORDS = (" the", " quick", " brown", " fox", " jumps", " over", " lazy", " dog", " and", " runs")
TOOLS = ("get_weather", "get_time")
BASELINE = "openai's accumulator"
Payload = dict[str, Any]


def chunk(choice: int, delta: Payload, finish_reason: str | None = None) -> Payload:
    """A chunk as OpenAI sends it."""
    change = {"index": choice, "delta": delta, "logprobs": None, "finish_reason": finish_reason}
    return {
        "id": "chatcmpl-0123456789012345678901",
        "object": "chat.completion.chunk",
        "created": 1_763_600_000,
        "model": "gpt-4o-mini-2024-07-18",
        "service_tier": "default",
        "system_fingerprint": "fp_0123456789",
        "choices": [change],
        "obfuscation": "a1B2c3D4",
    }


def first_piece(choice: int, index: int) -> Payload:
    """A delta with the beginning of a tool call."""
    function = {"name": TOOLS[index], "arguments": '{"text":"'}
    identity = {"id": f"call_{choice}_{index}", "type": "function"}
    return {"tool_calls": [{"index": index, **identity, "function": function}]}


def piece(index: int, arguments: str) -> Payload:
    """A delta with more of a tool call's arguments."""
    return {"tool_calls": [{"index": index, "function": {"arguments": arguments}}]}


def chat_chunks(length: int, choices: int) -> list[Payload]:
    """Roles, seven tenths of text, two calls whose arguments alternate, and finish reasons.

    Several choices alternate, too.
    """
    each = range(choices)
    texts = int(length * 0.7) // choices * choices
    pieces = length - texts - 6 * choices
    pieces -= pieces % (2 * choices)
    return [
        *(chunk(c, {"role": "assistant", "content": "", "refusal": None}) for c in each),
        *(chunk(i % choices, {"content": WORDS[i % 10]}) for i in range(texts)),
        *(chunk(c, first_piece(c, index)) for c in each for index in (0, 1)),
        *(chunk(i % choices, piece(i // choices % 2, WORDS[i % 10])) for i in range(pieces)),
        *(chunk(c, piece(index, '"}')) for c in each for index in (0, 1)),
        *(chunk(c, {}, "tool_calls") for c in each),
    ]


def message_events(length: int) -> list[Payload]:
    """The same as Anthropic sends it."""
    usage = {"input_tokens": 50, "output_tokens": 1}
    message: Payload = {"id": "msg_1", "type": "message", "role": "assistant", "model": "claude"}
    start = message | {"content": [], "stop_reason": None, "usage": usage}
    tool = {"type": "tool_use", "id": "toolu_1", "name": "tool", "input": {}}
    texts = [{"type": "text_delta", "text": WORDS[i % 10]} for i in range(int(length * 0.7))]
    pieces = ['{"text":"', *(WORDS[i % 10] for i in range(length - len(texts) - 10)), '"}']
    inputs = [{"type": "input_json_delta", "partial_json": piece} for piece in pieces]
    return [
        {"type": "message_start", "message": start},
        *block(0, {"type": "text", "text": ""}, texts),
        *block(1, tool, inputs),
        {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": usage},
        {"type": "message_stop"},
    ]


def block(index: int, start: Payload, deltas: Iterable[Payload]) -> list[Payload]:
    """The events of a content block."""
    return [
        {"type": "content_block_start", "index": index, "content_block": start},
        *({"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas),
        {"type": "content_block_stop", "index": index},
    ]


class FunctionStruct(msgspec.Struct):
    """The same for msgspec."""

    name: Annotated[str | None, StreamAppend()] = None
    arguments: Annotated[str | None, StreamAppend()] = None


class ToolCallStruct(msgspec.Struct):
    """The same for msgspec."""

    index: Annotated[int, StreamIndex()]
    id: str | None = None
    function: Annotated[FunctionStruct | None, StreamAppend()] = None


class DeltaStruct(msgspec.Struct):
    """The same for msgspec."""

    role: str | None = None
    content: Annotated[str | None, StreamAppend()] = None
    tool_calls: Annotated[list[ToolCallStruct] | None, StreamIndexedList()] = None


class FunctionDict(TypedDict, total=False):
    """The same for decoded JSON."""

    name: Annotated[str, StreamAppend()]
    arguments: Annotated[str, StreamAppend()]


class ToolCallDict(TypedDict, total=False):
    """The same for decoded JSON."""

    index: Annotated[int, StreamIndex()]
    id: str
    function: Annotated[FunctionDict, StreamAppend()]


class DeltaDict(TypedDict, total=False):
    """The same for decoded JSON."""

    role: str
    content: Annotated[str, StreamAppend()]
    tool_calls: Annotated[list[ToolCallDict], StreamIndexedList()]


def sdk_chunks(length: int, choices: int) -> list[Any]:
    """Chunks as OpenAI's SDK makes them."""
    payloads = chat_chunks(length, choices)
    return [openai_object(type_=ChatCompletionChunk, value=payload) for payload in payloads]


def sdk_events(length: int) -> list[Any]:
    """Events as Anthropic's SDK makes them."""
    payloads = message_events(length)
    return [anthropic_object(type_=RawMessageStreamEvent, value=payload) for payload in payloads]


def deltas(length: int) -> list[Payload]:
    """The deltas of a stream with one choice, as JSON values."""
    return [payload["choices"][0]["delta"] for payload in chat_chunks(length, 1)]


def assemble(make: Callable[[], ReflectiveAssembler[Any]], items: Iterable[Any]) -> Any:
    """What Arc makes of a stream."""
    assembler = make()
    for item in items:
        assembler.apply_delta(item)
    return assembler.build()


def accumulate_chunks(chunks: Iterable[Any]) -> Any:
    """What OpenAI's SDK makes of a stream."""
    state: ChatCompletionStreamState[Any] = ChatCompletionStreamState()
    for item in chunks:
        state.handle_chunk(item)
    return state.current_completion_snapshot


def accumulate_events(events: Iterable[Any]) -> Any:
    """What Anthropic's SDK makes of a stream."""
    message = None
    buffers: dict[int, bytes] = {}
    for event in events:
        message = accumulate_event(event=event, current_snapshot=message, json_bufs=buffers)
    return message


def merge(accumulated: Payload, delta: Payload) -> Payload:
    """What many programs have: a recursive merge of dictionaries."""
    for key, value in delta.items():
        known = accumulated.get(key)
        if known is None or key == "index":
            accumulated[key] = value
        elif isinstance(value, str):
            accumulated[key] = known + value
        elif isinstance(value, dict):
            merge(known, value)
        elif isinstance(value, list):
            for item in value:
                same = [each for each in known if each["index"] == item["index"]]
                merge(same[0], item) if same else known.append(item)
    return accumulated


def merge_all(items: Iterable[Payload]) -> Payload:
    """The recursive merge of a stream."""
    accumulated: Payload = {}
    for item in items:
        merge(accumulated, item)
    return accumulated


def join_all(items: Iterable[Payload]) -> tuple[str, list[str]]:
    """The least that can be done: pieces in lists, joined at the end."""
    texts: list[str] = []
    calls: dict[int, list[str]] = {}
    for item in items:
        text = item.get("content")
        if text:
            texts.append(text)
        for each in item.get("tool_calls") or ():
            calls.setdefault(each["index"], []).append(each["function"]["arguments"])
    return "".join(texts), ["".join(pieces) for pieces in calls.values()]


@dataclass(frozen=True)
class Contestant:
    """A way to assemble.

    Attributes:
        name: For people.
        make: Makes the stream of a length.
        run: Assembles it.
        longest: The longest stream that does not take all day.
    """

    name: str
    make: Callable[[int], Sequence[Any]]
    run: Callable[[Any], Any]
    longest: int = LENGTHS[-1]


def arc(name: str, make: Callable[[int], Sequence[Any]], type_: Any, **rules: Any) -> Contestant:
    """Arc, with a class of deltas."""
    return Contestant(name, make, partial(assemble, ReflectiveAssembler.factory(type_, **rules)))


def of_events(events: Iterable[Any]) -> Any:
    """Arc, with Anthropic's events."""
    return assemble(ReflectiveAssembler.factory(MessagePieces), map(pieces_of, events))


CONTESTANTS = (
    Contestant(BASELINE, partial(sdk_chunks, choices=2), accumulate_chunks, longest=2_000),
    arc("arc, openai's chunks", partial(sdk_chunks, choices=2), ChatCompletionChunk,
        rules=CHAT_CHUNK_RULES),
    Contestant("anthropic's accumulator", sdk_events, accumulate_events, longest=20_000),
    Contestant("arc, anthropic's events", sdk_events, of_events),
    arc("arc, pydantic deltas", lambda n: list(map(Delta.model_validate, deltas(n))), Delta),
    arc("arc, msgspec deltas", lambda n: msgspec.convert(deltas(n), list[DeltaStruct]),
        DeltaStruct),
    arc("arc, JSON deltas", deltas, DeltaDict),
    Contestant("recursive merge, JSON deltas", deltas, merge_all),
    Contestant("lists joined, JSON deltas", deltas, join_all),
)  # fmt: skip


def time_of(contestant: Contestant, stream: Sequence[Any]) -> float:
    """Microseconds per delta."""
    gc.collect()
    start = time.perf_counter()
    contestant.run(stream)
    return (time.perf_counter() - start) * 1e6 / len(stream)


def measure(lengths: Sequence[int], rounds: int) -> dict[str, dict[int, float]]:
    """The medians, by contestant and length."""
    figures: dict[str, dict[int, float]] = {each.name: {} for each in CONTESTANTS}
    for length in lengths:
        racing = {each: each.make(length) for each in CONTESTANTS if length <= each.longest}
        samples: dict[Contestant, list[float]] = {each: [] for each in racing}
        for _ in range(rounds):
            for each, stream in racing.items():
                samples[each].append(time_of(each, stream))
        for each, values in samples.items():
            figures[each.name][length] = statistics.median(values)
    return figures


def report(figures: dict[str, dict[int, float]], lengths: Sequence[int]) -> None:
    """Print a table."""
    baseline = figures[BASELINE][lengths[0]]
    columns = "".join(f"{length:>10,}" for length in lengths)
    print(f"{'µs per delta':32}{columns}{'of openai':>12}{'growth':>9}")
    for name, by_length in figures.items():
        cells = [f"{by_length[length]:10.2f}" if length in by_length else " " * 10
                 for length in lengths]  # fmt: skip
        times = list(by_length.values())
        growth = f"{10 * times[-1] / times[-2]:9.1f}" if len(times) > 1 else ""
        share = f"{times[0] / baseline:12.2%}"
        print(f"{name:32}{''.join(cells)}{share}{growth}")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.assembly", description=__doc__)
    parser.add_argument("--rounds", type=int, default=5, help="measurements of each (5)")
    parser.add_argument("--small", action="store_true", help="a minimum of work, to see it run")
    arguments = parser.parse_args()
    lengths = (20, 200) if arguments.small else LENGTHS
    report(measure(lengths, 1 if arguments.small else arguments.rounds), lengths)


if __name__ == "__main__":
    main()
