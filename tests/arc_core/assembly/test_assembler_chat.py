"""The streams of the design document, byte for byte, and what seeds them grow into."""

from typing import Any

from arc_core.assembly import ReflectiveAssembler
from tests.arc_core.assembly.chat_records import Chunk, MessageDelta, ToolCallDelta

TEXT_STREAM = """\
{"id":"chatcmpl-123","choices":[{"index":0,"delta":{"role":"assistant"}}]}
{"id":"chatcmpl-123","choices":[{"index":0,"delta":{"content":"Hello"}}]}
{"id":"chatcmpl-123","choices":[{"index":0,"delta":{"content":" world"}}]}
"""
TEXT_RESULT = (
    '{"id":"chatcmpl-123",'
    '"choices":[{"index":0,"delta":{"role":"assistant","content":"Hello world"}}]}'
)
TOOL_STREAM = r"""
{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_abc","function":{"name":"get"}}]}}]}
{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"name":"_weather"}}]}}]}
{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"loc"}}]}}]}
{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"ation\":"}}]}}]}
""".lstrip()
TOOL_RESULT = (
    '{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_abc",'
    r'"function":{"name":"get_weather","arguments":"{\"location\":"}}]}}]}'
)


def json_of_assembled(stream: str) -> str:
    """The JSON of what the chunks of a stream become."""
    assembler = ReflectiveAssembler.of(Chunk)
    for line in stream.splitlines():
        assembler.apply_delta(Chunk.model_validate_json(line))
    return assembler.build().model_dump_json(exclude_none=True)


def test_a_text_stream_becomes_its_message() -> None:
    """Role and pieces of text, a chunk each."""
    assert json_of_assembled(TEXT_STREAM) == TEXT_RESULT


def test_a_tool_call_stream_becomes_its_call() -> None:
    """Id, pieces of the name and pieces of the arguments, a chunk each."""
    assert json_of_assembled(TOOL_STREAM) == TOOL_RESULT


def test_interleaved_calls_are_kept_apart() -> None:
    """Fragments of several calls may alternate, and the calls may come in any order."""
    fragments: list[dict[str, Any]] = [
        {"index": 1, "id": "b", "name": "get_time"},
        {"index": 0, "id": "a", "name": "get_"},
        {"index": 1, "arguments": "{}"},
        {"index": 0, "name": "weather", "arguments": '{"city":'},
        {"index": 0, "arguments": '"Seoul"}'},
    ]
    assembler = ReflectiveAssembler.of(MessageDelta)

    for fragment in fragments:
        assembler.apply_delta(MessageDelta(tool_calls=[ToolCallDelta(**fragment)]))

    assert assembler.build().tool_calls == [
        ToolCallDelta(index=0, id="a", name="get_weather", arguments='{"city":"Seoul"}'),
        ToolCallDelta(index=1, id="b", name="get_time", arguments="{}"),
    ]
