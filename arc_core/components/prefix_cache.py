"""Keeps what was made of messages and conversations, so that only what is new is looked at."""

import weakref
from collections.abc import Callable
from typing import Generic, NamedTuple, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class _Entry(weakref.ref[K], Generic[K, V]):
    """A weak reference that brings what is kept of its object: a conversation has thousands."""

    __slots__ = ("identity", "value")

    identity: int
    value: V


class IdentityCache(Generic[K, V]):
    """Values by the identity of their keys; a value goes when its key does.

    Made for frozen messages, which come back from a conversation as the same objects, and whose
    hash would cost as much as what is kept. Keys need a weak reference; for those that take none,
    nothing is kept.
    """

    __slots__ = ("__weakref__", "_entries", "_forget")

    def __init__(self) -> None:
        entries = self._entries = dict[int, _Entry[K, V]]()

        def forget(entry: _Entry[K, V]) -> None:  # names no globals: a process may be ending
            if entries.get(entry.identity) is entry:  # else it was replaced
                del entries[entry.identity]

        self._forget = forget

    def __len__(self) -> int:
        return len(self._entries)

    def get(self, key: K) -> V | None:
        """Return the value that was put for this very object, or None."""
        entry = self._entries.get(id(key))
        return None if entry is None else entry.value

    def pop(self, key: K) -> V | None:
        """Return the value that was put for this very object, and keep it no longer."""
        entry = self._entries.pop(id(key), None)
        return None if entry is None else entry.value

    def put(self, key: K, value: V) -> None:
        """Keep `value` until `key` dies; replaces what was kept."""
        try:
            entry: _Entry[K, V] = _Entry(key, self._forget)
        except TypeError:  # the class has slots and none for weak references
            return
        entry.identity, entry.value = id(key), value
        self._entries[entry.identity] = entry


_MOST_NEW = 8
"""The most items that a sequence gains from one look at it to the next."""


class _Beginning(NamedTuple, Generic[K, V]):
    """A sequence as it was last; kept for as long as its last item lives, which it does not keep.

    `stays` is the last item of a beginning that was left to others, if this one goes on with it.
    """

    before: tuple[K, ...]
    value: V
    stays: K | None


class PrefixCache(Generic[K, V]):
    """Values of sequences that grow at their ends, by the sequences that they begin with.

    Comparing a sequence with one of the same objects takes nanoseconds an item. Made for frozen
    messages; items that take no weak references are looked at anew each time.
    """

    __slots__ = ("_beginnings",)

    def __init__(self) -> None:
        self._beginnings: IdentityCache[K, _Beginning[K, V]] = IdentityCache()

    def __len__(self) -> int:
        return len(self._beginnings)

    def get(
        self,
        items: tuple[K, ...],
        extend: Callable[[V | None, tuple[K, ...], int], V],
        *,
        is_branch: bool = False,
    ) -> V:
        """Return what is made of a sequence.

        Args:
            items: The sequence, from the first on.
            extend: Gives the value of a sequence, which is not to hold the last item: from that
                of its beginning, which it must not change, the items after it, and how many there
                are before those; from None, all items and 0 if it is new.
            is_branch: Whether other sequences will go on with the beginning of this one, which is
                then kept too.
        """
        place, begun = self._find(items)
        if begun is not None and place == len(items):
            return begun.value
        value = extend(None if begun is None else begun.value, items[place:], place)
        if items:
            stays = None
            if begun is not None:
                stays = self._move_on(items[place - 1], begun, is_branch=is_branch)
            self._beginnings.put(items[-1], _Beginning(items[:-1], value, stays))
        return value

    def has_beginning(self, items: tuple[K, ...]) -> bool:
        """Return whether `get` would look at no more than the end of a sequence."""
        return self._find(items)[1] is not None

    def _find(self, items: tuple[K, ...]) -> tuple[int, _Beginning[K, V] | None]:
        """Return the length of the longest beginning that is known, and that.

        One that ends alike and begins otherwise is forgotten: its first items have been dropped.
        """
        for place in range(len(items), max(0, len(items) - _MOST_NEW), -1):
            begun = self._beginnings.get(items[place - 1])
            if begun is None:
                continue
            if begun.before == items[: place - 1]:
                return place, begun
            self._beginnings.pop(items[place - 1])
        return 0, None

    def _move_on(self, last: K, begun: _Beginning[K, V], *, is_branch: bool) -> K | None:
        """Forget a beginning that has grown; return the last item of one that stays instead."""
        if is_branch and begun.stays is None:
            return last
        self._beginnings.pop(last)
        if is_branch or begun.stays is None:
            return begun.stays
        self._beginnings.pop(begun.stays)
        return None
