"""Of a sequence that has grown only what is new is looked at, and the value is that of all."""

import gc
import weakref

from hypothesis import given
from hypothesis import strategies as st

from arc_core import UserMessage
from arc_core.components.prefix_cache import PrefixCache

Texts = tuple[str, ...]


class Reader:
    """Joins the texts of messages, and notes which it has looked at."""

    def __init__(self) -> None:
        self.cache: PrefixCache[UserMessage, Texts] = PrefixCache()
        self.seen: list[str] = []

    def read(self, *messages: UserMessage, is_branch: bool = False) -> Texts:
        """The texts of messages."""
        return self.cache.get(messages, self._extend, is_branch=is_branch)

    def _extend(self, begun: Texts | None, new: tuple[UserMessage, ...], place: int) -> Texts:
        assert place == len(begun or ())
        texts = tuple(message.text for message in new)
        self.seen += texts
        return (*(begun or ()), *texts)


def messages(texts: str) -> list[UserMessage]:
    """A message for each letter."""
    return [UserMessage(text) for text in texts]


def test_only_what_is_new_is_looked_at() -> None:
    """And nothing if nothing is."""
    reader, (a, b, c) = Reader(), messages("abc")

    values = [reader.read(a), reader.read(a, b, c), reader.read(a, b, c)]

    assert values == [("a",), ("a", "b", "c"), ("a", "b", "c")]
    assert reader.seen == ["a", "b", "c"]


def test_one_beginning_is_kept_of_a_sequence_that_grows() -> None:
    """Each takes the place of the one before, of which nothing else is left."""
    reader, grown = Reader(), messages("abcdefghijklm")

    for length in range(len(grown) + 1):
        reader.read(*grown[:length])

    assert len(reader.cache) == 1


def test_a_sequence_whose_first_items_were_dropped_is_looked_at_anew() -> None:
    """What was known of it before is forgotten."""
    reader, (a, b, c) = Reader(), messages("abc")
    reader.read(a, b)

    assert reader.read(b, c) == ("b", "c")
    assert len(reader.cache) == 1


def test_a_branch_leaves_the_beginning_for_others() -> None:
    """Until the sequence grows itself, whether from there or from the branch."""
    reader, (a, b, c, d, e) = Reader(), messages("abcde")
    reader.read(a)
    reader.read(a, b, is_branch=True)
    reader.read(a, b, c, is_branch=True)

    assert reader.read(a, d) == ("a", "d")
    assert reader.seen == ["a", "b", "c", "d"]
    assert reader.read(a, b, c, e) == ("a", "b", "c", "e")
    assert reader.seen[4:] == ["e"]
    assert len(reader.cache) == 2


def test_what_is_kept_goes_with_the_last_item() -> None:
    """All the others go with it."""
    reader, (first, last) = Reader(), messages("ab")
    reader.read(first, last)
    gone = weakref.ref(first)

    del first, last
    gc.collect()

    assert gone() is None
    assert len(reader.cache) == 0


@given(st.lists(st.tuples(st.lists(st.integers(0, 3), max_size=12), st.booleans()), max_size=12))
def test_the_value_is_as_if_no_other_was_asked_for(asked: list[tuple[list[int], bool]]) -> None:
    """Whatever a sequence has in common with others, branch or not."""
    reader, items = Reader(), messages("abcd")

    for numbers, is_branch in asked:
        value = reader.read(*(items[number] for number in numbers), is_branch=is_branch)
        assert value == tuple("abcd"[number] for number in numbers)
