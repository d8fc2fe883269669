"""What was encoded once is kept, and goes with what it was made of."""

import gc
import weakref

from hypothesis import given
from hypothesis import strategies as st

from arc_core import AssistantMessage, Message, ToolCall, ToolResult, ToolResultMessage, UserMessage
from arc_core.wire import CallIds, EncodedMessages, EncodedParts, json_object


class Part:
    """Something to encode."""


class Encoder:
    """Counts what it encodes."""

    def __init__(self) -> None:
        self.encoded = 0

    def part(self, part: Part) -> bytes:
        """The how-manieth it is."""
        del part
        self.encoded += 1
        return b"%d" % self.encoded

    def message(self, message: Message, call_ids: tuple[str, ...]) -> tuple[str, ...]:
        """Its ids."""
        del message
        self.encoded += 1
        return call_ids


def call_and_result(call_id: str) -> tuple[Message, Message]:
    """A turn with one call."""
    call = AssistantMessage("", (ToolCall(call_id, "f", "{}"),))
    return call, ToolResultMessage((ToolResult(call_id, "f", "done"),))


def test_a_part_is_encoded_once() -> None:
    """The same object gives the same JSON, another one its own."""
    parts = EncodedParts(Encoder().part)
    part = Part()

    assert [parts.encode(part), parts.encode(Part()), parts.encode(part)] == [b"1", b"2", b"1"]


def test_what_is_kept_goes_with_its_part() -> None:
    """Nothing keeps a part alive that its owner has dropped."""
    parts = EncodedParts(Encoder().part)
    part = Part()
    parts.encode(part)
    gone = weakref.ref(part)

    del part
    gc.collect()

    assert gone() is None
    assert len(parts._kept) == 0


def test_messages_are_encoded_once() -> None:
    """What is kept is used again while the ids of its calls stay the same."""
    encoder = Encoder()
    messages = EncodedMessages(encoder.message)
    conversation = (UserMessage("Hi"), *call_and_result("a"))

    first = messages.encode(conversation, CallIds())
    second = messages.encode(conversation, CallIds())

    assert first == second == [(), ("a",), ("a",)]
    assert encoder.encoded == 3


def test_messages_are_encoded_anew_when_their_ids_change() -> None:
    """A call whose id an earlier one has gets another, and so does its result."""
    encoder = Encoder()
    messages = EncodedMessages(encoder.message)
    one, other = call_and_result("a"), call_and_result("a")
    messages.encode(other, CallIds())

    _, _, call, result = messages.encode((*one, *other), CallIds())

    assert call == result != ("a",)
    assert encoder.encoded == 6


def test_an_object_is_put_together_from_encoded_fields() -> None:
    """In the order of the fields."""
    assert json_object({"b": b"[1]", "a": b'"x"'}) == b'{"b":[1],"a":"x"}'


class CountingIds(CallIds):
    """Counts the messages that it is asked about."""

    def __init__(self, asked: list[Message]) -> None:
        super().__init__()
        self._asked = asked

    def of(self, message: Message) -> tuple[str, ...]:
        """The ids of a message."""
        self._asked.append(message)
        return super().of(message)


def test_of_a_conversation_that_has_grown_only_new_messages_are_looked_at() -> None:
    """A long run has a thousand of them at each turn."""
    messages, asked = EncodedMessages(Encoder().message), list[Message]()
    begun = (UserMessage("Hi"), *call_and_result("a"))
    new = call_and_result("b")

    messages.encode(begun, CountingIds(asked))
    messages.encode((*begun, *new), CountingIds(asked))

    assert asked == [*begun, *new]


@given(st.lists(st.lists(st.integers(0, 5), max_size=6), max_size=12))
def test_a_conversation_is_encoded_as_if_no_other_was_before(asked: list[list[int]]) -> None:
    """Whatever it has in common with those, from its beginning on or not."""
    turns = [call_and_result(call_id) for call_id in ("a", "b", "a", "", "b", "call_0")]
    messages = EncodedMessages(Encoder().message)

    for numbers in asked:
        conversation = [message for number in numbers for message in turns[number]]
        alone = EncodedMessages(Encoder().message).encode(conversation, CallIds())
        assert messages.encode(conversation, CallIds()) == alone


def test_what_a_conversation_was_goes_with_its_last_message() -> None:
    """And with the next one that ends with the same and has begun otherwise."""
    messages = EncodedMessages(Encoder().message)
    first, (call, result) = UserMessage("Hi"), call_and_result("a")
    messages.encode((first, call, result), CallIds())
    gone = weakref.ref(first)
    messages.encode((call, result), CallIds())

    del first
    gc.collect()
    assert gone() is None
    del call, result
    gc.collect()
    assert len(messages._kept) == 0
