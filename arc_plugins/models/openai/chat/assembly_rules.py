"""Rules to assemble chat chunks, OpenAI's and its imitators'.

```python
from openai.types.chat import ChatCompletionChunk

assembler = ReflectiveAssembler.of(ChatCompletionChunk, rules=CHAT_CHUNK_RULES)
```

The result is a chunk whose `delta` is the whole message. The rules go by what servers really send:
a call's index may be missing, or be 0 for every call with an id of its own; ids and names come
again, or as null or empty, with later pieces; arguments may be an object, and content a list of
parts, of which the text counts. Values of vendors' own, such as `provider`, are left out, except
for the reasoning of a message.
"""

import json
from collections.abc import Mapping

from arc_core.assembly import Marker, StreamAppend, StreamIndexedList, StreamMerge


def _text_of_parts(content: object) -> str:
    parts = content if isinstance(content, list) else []
    texts = (part.get("text") for part in parts if part.get("type") == "text")
    return "".join(text for text in texts if text)


def _latest(known: str, value: str) -> str:
    return value or known


def _whole_or_pieces(known: str, value: str) -> str:
    """Names come whole and again with each piece, or in pieces."""
    return known if value == known else known + value


_TOOL_CALLS = "choices.delta.tool_calls"

CHAT_CHUNK_RULES: Mapping[str, Marker] = {
    "choices": StreamIndexedList(by="index", missing="continue"),
    "choices.logprobs": StreamAppend(),
    "choices.logprobs.content": StreamAppend(),
    "choices.logprobs.refusal": StreamAppend(),
    "choices.delta": StreamAppend(),
    "choices.delta.content": StreamAppend(coerce=_text_of_parts),
    "choices.delta.refusal": StreamAppend(),
    "choices.delta.reasoning_content": StreamAppend(extra=True),
    "choices.delta.reasoning": StreamAppend(extra=True),
    "choices.delta.audio": StreamAppend(),
    "choices.delta.audio.data": StreamAppend(),
    "choices.delta.audio.transcript": StreamAppend(),
    "choices.delta.function_call": StreamAppend(),
    "choices.delta.function_call.name": StreamMerge(_whole_or_pieces),
    "choices.delta.function_call.arguments": StreamAppend(coerce=json.dumps),
    _TOOL_CALLS: StreamIndexedList(by="index", identity="id", missing="continue"),
    f"{_TOOL_CALLS}.id": StreamMerge(_latest),
    f"{_TOOL_CALLS}.function": StreamAppend(),
    f"{_TOOL_CALLS}.function.name": StreamMerge(_whole_or_pieces),
    f"{_TOOL_CALLS}.function.arguments": StreamAppend(coerce=json.dumps),
}
"""For `openai.types.chat.ChatCompletionChunk`."""
