"""Server-sent events: the same events for every way of cutting a stream."""

from collections.abc import Iterable
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arc_core import InvalidResponseError
from arc_core.wire import EventStreamDecoder, ServerSentEvent

STREAM = (
    ": a comment\n\n"
    "data: {}\n\n\n\n"
    "event: delta\ndata: 안녕하세요\n\n"
    "id: 7\nretry: 10\nevent: many\ndata: first\ndata:second\ndata\n\n"
    "event: nothing\n\n"
    "data: end\n\n"
).encode()
EVENTS = [
    (b"", b"{}"),
    (b"delta", "안녕하세요".encode()),
    (b"many", b"first\nsecond\n"),
    (b"", b"end"),
]


def decoded(
    stream: bytes, cuts: Iterable[int] = (), decoder: EventStreamDecoder | None = None
) -> list[ServerSentEvent]:
    """The events of a stream that comes cut at these positions."""
    decoder = decoder or EventStreamDecoder()
    edges = [0, *sorted(cuts), len(stream)]
    events = [e for start, end in pairwise(edges) for e in decoder.feed(stream[start:end])]
    return events + decoder.close()


def test_a_whole_stream_gives_its_events() -> None:
    """Comments and events without data are left out, lines of data are joined."""
    assert decoded(STREAM) == EVENTS


@pytest.mark.parametrize("newline", [b"\n", b"\r\n", b"\r"])
def test_every_byte_of_its_own_gives_the_same(newline: bytes) -> None:
    """Line ends of all three kinds may be torn from their lines and from each other."""
    stream = STREAM.replace(b"\n", newline)

    assert decoded(stream, range(1, len(stream))) == EVENTS


@given(
    st.lists(st.sampled_from([b"data: a", b"data:", b"event: e", b": c", b"id", b"", b"x"])),
    st.sampled_from([b"\n", b"\r\n", b"\r"]),
    st.data(),
)
def test_cuts_change_nothing(lines: list[bytes], newline: bytes, data: st.DataObject) -> None:
    """Whatever the lines, and wherever they are cut, the events are those of the whole."""
    stream = b"".join(line + newline for line in lines)
    cuts = data.draw(st.lists(st.integers(0, len(stream))))

    assert decoded(stream, cuts) == decoded(stream)


@given(st.lists(st.tuples(st.sampled_from([b"", b"e"]), st.sampled_from([b"x", b"{}", b"a b"]))))
def test_what_was_framed_comes_back(events: list[ServerSentEvent]) -> None:
    """Events written in the form of vendors are read as they were."""
    frames = [b"event: " + n + b"\ndata: " + d if n else b"data: " + d for n, d in events]

    assert decoded(b"".join(frame + b"\n\n" for frame in frames)) == events


@pytest.mark.parametrize("end", [b"", b"\n", b"\r", b"\r\n"])
def test_an_end_without_blank_line_completes_the_last_event(end: bytes) -> None:
    """Vendors leave out the last blank line."""
    assert decoded(b"data: a\n\ndata: b" + end) == [(b"", b"a"), (b"", b"b")]


def test_a_blank_line_after_a_lone_carriage_return_parts_events() -> None:
    """An LF that belongs to a CR before it is not taken for a second line end, a further one is."""
    assert decoded(b"data: a\r\n\ndata: b\n\n", [8, 9, 10]) == [(b"", b"a"), (b"", b"b")]


def test_fields_between_name_and_data_belong_to_neither() -> None:
    """An id may stand anywhere in an event."""
    assert decoded(b"event: e\nid: 7\ndata: a\n\n") == [(b"e", b"a")]


def test_a_byte_order_mark_is_left_out() -> None:
    """A stream may begin with one."""
    assert decoded(b"\xef\xbb\xbfdata: a\n\n", [1, 2]) == [(b"", b"a")]


def test_a_page_is_not_an_event() -> None:
    """What has no `data` lines, such as HTML, gives no events."""
    assert decoded(b"<html>\n<body>Bad gateway</body>\n\n</html>") == []


def test_an_error_in_bare_json_is_an_event() -> None:
    """Google writes one into a stream that it has begun."""
    error = b'{\n  "error": {"code": 499}\n}'

    assert decoded(b"data: a\n\n" + error, [12]) == [(b"", b"a"), (b"", error)]


@pytest.mark.parametrize("step", [1, 7, 1000])
def test_an_event_beyond_the_bound_is_refused(step: int) -> None:
    """It is refused while it still grows, and also if it comes at once."""
    stream = b"data: " + b"x" * 100 + b"\n\n"
    cuts = range(step, len(stream), step)

    with pytest.raises(InvalidResponseError, match="50 are allowed"):
        decoded(stream, cuts, EventStreamDecoder(max_event_bytes=50))


def test_many_events_may_exceed_the_bound_together() -> None:
    """The bound is one event's."""
    decoder = EventStreamDecoder(max_event_bytes=50)

    assert len(decoder.feed(b"data: 0123456789\n\n" * 20)) == 20


def test_an_event_in_many_pieces_costs_no_more_than_its_bytes() -> None:
    """A megabyte in pieces of 16 bytes is looked at once, not once per piece."""
    payload = b"x" * 1_000_000

    events = decoded(b"data: " + payload + b"\n\n", range(16, 1_000_000, 16))

    assert events == [(b"", payload)]
