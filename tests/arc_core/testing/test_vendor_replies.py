"""Replies: where a body is cut, and what remains of one that breaks off."""

from arc_core.testing.vendor_server import Ending, Reply


def test_a_body_is_cut_where_it_was_asked() -> None:
    """Each position begins a new piece; none is empty."""
    reply = Reply(body=b"abcdef", cuts=[4, 2, 2, 0, 6, 9])

    assert reply.pieces() == [b"ab", b"cd", b"ef"]


def test_cuts_beyond_a_shortened_body_are_ignored() -> None:
    """A reply that breaks off sends what comes before."""
    reply = Reply.events(b"abcdef", cuts=[2, 5]).cut_off(3, Ending.DROPPED)

    assert (reply.pieces(), reply.ending) == ([b"ab", b"c"], Ending.DROPPED)


def test_json_is_written() -> None:
    """A value becomes a body."""
    assert Reply.json({"a": 1}, status=429).body == b'{"a": 1}'
