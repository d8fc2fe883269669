"""Keeps what was made of an object as long as the object lives."""

import weakref
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class IdentityCache(Generic[K, V]):
    """Values by the identity of their keys; a value goes when its key does.

    Made for frozen messages, which come back from a conversation as the same objects, and whose
    hash would cost as much as what is kept. Keys need a weak reference; for those that take none,
    nothing is kept.
    """

    __slots__ = ("__weakref__", "_entries")

    def __init__(self) -> None:
        self._entries: dict[int, tuple[weakref.ref[K], V]] = {}

    def __len__(self) -> int:
        return len(self._entries)

    def get(self, key: K) -> V | None:
        """Return the value that was put for this very object, or None."""
        entry = self._entries.get(id(key))
        return None if entry is None else entry[1]

    def pop(self, key: K) -> V | None:
        """Return the value that was put for this very object, and keep it no longer."""
        entry = self._entries.pop(id(key), None)
        return None if entry is None else entry[1]

    def put(self, key: K, value: V) -> None:
        """Keep `value` until `key` dies; replaces what was kept."""
        identity, entries = id(key), self._entries

        def forget(_: "weakref.ref[K]") -> None:
            entries.pop(identity, None)  # before the number can be another object's

        try:
            entries[identity] = weakref.ref(key, forget), value
        except TypeError:  # the class has slots and none for weak references
            return
