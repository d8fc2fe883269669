"""Values live as long as the object they were made of, and belong to that object alone."""

import gc

import pytest

from arc_core import AssistantMessage, UserMessage
from arc_core.wire import IdentityCache


class Slotted:
    """An object that takes no weak references."""

    __slots__ = ()


def test_a_value_is_found_by_its_object() -> None:
    """What was put for an object is what `get` gives, until it is replaced."""
    cache: IdentityCache[UserMessage, int] = IdentityCache()
    message = UserMessage("hello")
    cache.put(message, 1)
    cache.put(message, 2)

    assert cache.get(message) == 2


def test_equal_objects_are_told_apart() -> None:
    """Equality is not identity."""
    cache: IdentityCache[UserMessage, int] = IdentityCache()
    message, twin = UserMessage("hello"), UserMessage("hello")
    cache.put(message, 1)

    assert cache.get(twin) is None


@pytest.mark.slow
def test_a_value_goes_with_its_object() -> None:
    """Nothing is kept for objects that are not referenced any more."""
    cache: IdentityCache[UserMessage, bytes] = IdentityCache()
    for number in range(100):
        cache.put(UserMessage(str(number)), b"encoded")
    gc.collect()

    assert len(cache) == 0


@pytest.mark.slow
def test_a_replaced_value_stays_and_goes_like_the_first() -> None:
    """Putting twice leaves one entry, which lives as long as its object."""
    cache: IdentityCache[UserMessage, int] = IdentityCache()
    message = UserMessage("hello")
    cache.put(message, 1)
    cache.put(message, 2)
    gc.collect()
    assert (cache.get(message), len(cache)) == (2, 1)

    del message
    gc.collect()
    assert len(cache) == 0


@pytest.mark.slow
def test_a_value_goes_with_an_object_that_was_part_of_a_cycle() -> None:
    """The collector forgets it too."""
    cache: IdentityCache[AssistantMessage, bytes] = IdentityCache()
    kept: list[object] = []
    kept.append(AssistantMessage("hello", vendor_content=kept))
    cache.put(kept[0], b"encoded")  # type: ignore[arg-type]

    del kept
    gc.collect()
    assert len(cache) == 0


def test_objects_without_weak_references_are_not_kept() -> None:
    """They cost their encoding every time, and nothing breaks."""
    cache: IdentityCache[Slotted, int] = IdentityCache()
    slotted = Slotted()
    cache.put(slotted, 1)

    assert cache.get(slotted) is None


@pytest.mark.slow
def test_the_end_of_the_cache_is_harmless() -> None:
    """Objects may outlive the cache that knew them."""
    message = UserMessage("hello")
    cache: IdentityCache[UserMessage, int] = IdentityCache()
    cache.put(message, 1)
    del cache
    gc.collect()

    del message
    gc.collect()
