"""Keeps what was made of an object as long as the object lives."""

import weakref
from typing import Generic, TypeVar

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
