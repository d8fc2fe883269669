"""The metadata of a run whose steps are recorded: each change belongs to the step that made it.

Tool calls of one turn are steps at the same time, and share one dictionary. A step that writes what
it has read before has counted, so what it has added is recorded, and not the sum, in which others
have a part. A value that is changed in place is compared with what it was when the step ends, and
whenever another step reaches for it: the change belongs to the step that reached for it last.
The changes of a step within another one are also changes of that: once it has ended, its record is
all that is read.
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from threading import RLock
from typing import Any

_COMPARABLE = frozenset((str, bytes, int, float, bool, set))


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One change; without any of the marks below, the value is put in the place of another one.

    Attributes:
        number: Its place among all changes of the run.
        path: Where it was made: a key of the metadata, and keys of the dictionaries below it.
        value: What stands there now; of a list that has grown, what was appended.
        counted_from: The number that stood there before, if a number was changed into another one.
        is_appended: Whether a list has grown.
        is_removed: Whether nothing stands there now.
    """

    number: int = 0
    path: tuple[str, ...]
    value: Any = None
    counted_from: float | None = None
    is_appended: bool = False
    is_removed: bool = False


def set_to(value: Any, path: tuple[str, ...]) -> Change:
    """The change that puts a value somewhere, whatever was there."""
    return Change(path=path, value=value)


def compare(before: Any, after: Any, path: tuple[str, ...]) -> Iterator[Change]:
    """The changes that make one value of another; both are copies."""
    if _are_same(before, after):
        return
    if _is_plain_dict(before) and _is_plain_dict(after):
        for key in before.keys() - after.keys():
            yield Change(path=(*path, key), is_removed=True)
        for key, value in after.items():
            if key in before:
                yield from compare(before[key], value, (*path, key))
            else:
                yield set_to(value, (*path, key))
    elif _is_number(before) and _is_number(after):
        yield Change(path=path, value=after, counted_from=before)
    elif type(before) is list and type(after) is list and _are_same(after[: len(before)], before):
        yield Change(path=path, value=after[len(before) :], is_appended=True)
    else:
        yield set_to(after, path)


def apply_change(change: Change, values: Any) -> None:
    """Make a change in the metadata; what of its path is not there is made."""
    *above, key = change.path
    for name in above:
        inner = values.get(name)
        if type(inner) is not dict:
            inner = {}
            values.__setitem__(name, inner)
        values = inner
    if change.is_removed:
        values.pop(key, None)
        return
    here, value = values.get(key), make_copy(change.value)
    if change.is_appended and type(here) is list:
        here.extend(value)
    elif change.counted_from is None:
        values.__setitem__(key, value)
    else:
        values.__setitem__(key, _count(here, change.counted_from, value))


def _count(here: Any, counted_from: Any, value: Any) -> Any:
    """The number that comes of counting on from what stands there."""
    if _are_same(here, counted_from):
        return value  # and not the sum, which may be another one in its last digit
    if here is not None and not _is_number(here):
        return value
    return (here or 0) + (value - counted_from)


def make_copy(value: Any) -> Any:
    """A copy that does not change with the value; of other than plain containers, the value."""
    try:
        return _copy(value)
    except RecursionError:  # it contains itself
        return value


def _copy(value: Any) -> Any:
    if type(value) is dict:
        return {key: _copy(item) for key, item in value.items()}
    if type(value) is list:
        return [_copy(item) for item in value]
    if type(value) is tuple:
        return tuple(_copy(item) for item in value)
    return set(value) if type(value) is set else value


def _are_same(one: Any, other: Any) -> bool:
    if one is other:
        return True
    if type(one) is not type(other):
        return False
    if type(one) is dict:
        return one.keys() == other.keys() and all(_are_same(one[key], other[key]) for key in one)
    if type(one) is list or type(one) is tuple:
        return len(one) == len(other) and all(map(_are_same, one, other))
    return type(one) in _COMPARABLE and bool(one == other)


def _is_plain_dict(value: Any) -> bool:
    return type(value) is dict and all(type(key) is str for key in value)


def _is_number(value: Any) -> bool:
    return type(value) is int or type(value) is float


_CHANGEABLE = (dict, list, tuple, set)
_MISSING = object()


class StepChanges:
    """The changes of one step, in the order in which it made them, and the keys it has read."""

    def __init__(self, metadata: "RunMetadata") -> None:
        self.metadata = metadata
        self.made: list[Change] = []
        self.read: set[str] = set()


_STEPS: ContextVar[tuple[StepChanges, ...]] = ContextVar("arc_steps", default=())
"""The steps in which the running code is, the innermost last: runs below have metadata too."""


class RunMetadata(dict[str, Any]):
    """A dictionary that knows which step has changed what."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        if values:
            super().__init__(make_copy(dict(values)))  # the next life has the caller's again
        self._lock = RLock()  # tools without `async` run in threads
        self._known = {key: make_copy(value) for key, value in values.items()} if values else {}
        self._holders: dict[str, StepChanges | None] = {}
        self._changes_made = 0

    @contextmanager
    def changing(self) -> Iterator[StepChanges]:
        """Note what the body changes, here and in the tasks and threads that it starts."""
        step = StepChanges(self)
        token = _STEPS.set((*_STEPS.get(), step))
        try:
            yield step
            with self._lock:
                self._compare_all(step)
                if step.made and (outer := self._step(within=step)) is not None:
                    outer.made += step.made
        finally:
            _STEPS.reset(token)
            self._holders = {key: by for key, by in self._holders.items() if by is not step}

    def changes_since(self, values: Mapping[str, Any]) -> tuple[Change, ...]:
        """The changes that make what is here of what was, for steps that nothing has noted."""
        step = StepChanges(self)
        with self._lock:
            now = {key: make_copy(value) for key, value in super().items()}
            self._add(step, compare(make_copy(dict(values)), now, ()))
        return tuple(step.made)

    def restore(self, changes: Iterable[Change]) -> None:
        """Make the changes of steps that were done in an earlier life, in this order.

        They are changes of the step, too, in which this is done.
        """
        with self._lock:
            outer = self._step()
            for change in changes:
                if outer is not None:
                    outer.made.append(change)
                self._changes_made = max(self._changes_made, change.number)
                apply_change(change, super())
                self._note(change.path[0])

    def _step(self, *, within: StepChanges | None = None) -> StepChanges | None:
        """Return the innermost step of this run in which the code is, beside one within it."""
        steps = (each for each in reversed(_STEPS.get()) if each is not within)
        return next((each for each in steps if each.metadata is self), None)

    def _reach(self, key: str) -> None:
        """Let the running step look at a value, which it may then change in place."""
        with self._lock:
            self._compare(key, self._holders.get(key))
            step = self._step()
            if step is not None:
                step.read.add(key)
            if isinstance(super().get(key), _CHANGEABLE):
                self._holders[key] = step

    def _compare_all(self, step: StepChanges) -> None:
        for key in tuple(super().keys()):
            if self._holders.get(key, step) is step:
                self._compare(key, step)

    def _compare(self, key: str, step: StepChanges | None) -> None:
        """Note as a step's what was changed in place since the value was known."""
        value = super().get(key, _MISSING)
        if not isinstance(value, _CHANGEABLE):
            return
        before = self._known.get(key)
        self._note(key)
        if step is not None:
            self._add(step, compare(before, self._known[key], (key,)))

    def _add(self, step: StepChanges, changes: Iterable[Change]) -> None:
        for change in changes:
            self._changes_made += 1
            step.made.append(replace(change, number=self._changes_made))

    def _note(self, key: str) -> None:
        """Remember a value as it is now."""
        value = super().get(key, _MISSING)
        if value is _MISSING:
            self._known.pop(key, None)
        else:
            self._known[key] = make_copy(value)

    def __setitem__(self, key: str, value: Any) -> None:
        with self._lock:
            self._compare(key, self._holders.pop(key, None))
            before, step = self._known.get(key, _MISSING), self._step()
            super().__setitem__(key, value)
            self._note(key)
            if step is None:
                return
            has_counted = before is not _MISSING and key in step.read
            after = self._known[key]
            changes = compare(before, after, (key,)) if has_counted else [set_to(after, (key,))]
            self._add(step, changes)

    def __delitem__(self, key: str) -> None:
        with self._lock:
            super().__delitem__(key)
            self._holders.pop(key, None)
            self._note(key)
            if (step := self._step()) is not None:
                self._add(step, [Change(path=(key,), is_removed=True)])

    def __getitem__(self, key: str) -> Any:
        self._reach(key)
        return super().__getitem__(key)

    def get(self, key: str, default: Any = None, /) -> Any:
        """As of a dictionary."""
        self._reach(key)
        return super().get(key, default)

    def setdefault(self, key: str, default: Any = None, /) -> Any:
        """As of a dictionary."""
        with self._lock:
            if key not in self:
                self[key] = default
            return self[key]

    def pop(self, key: str, *default: Any) -> Any:
        """As of a dictionary."""
        with self._lock:
            value = self.get(key, *default) if default else self[key]
            if key in self:
                del self[key]
            return value

    def popitem(self) -> tuple[str, Any]:
        """As of a dictionary."""
        with self._lock:
            key = next(reversed(self), None)
            if key is None:
                raise KeyError("popitem(): dictionary is empty")
            return key, self.pop(key)

    def clear(self) -> None:
        """As of a dictionary."""
        for key in tuple(self):
            self.pop(key, None)

    def update(self, *others: Any, **values: Any) -> None:
        """As of a dictionary."""
        for key, value in dict(*others, **values).items():
            self[key] = value

    def __ior__(self, other: Any) -> "RunMetadata":  # type: ignore[override,misc]  # as dict does
        self.update(other)
        return self

    def items(self) -> Any:
        """As of a dictionary."""
        self._reach_all()
        return super().items()

    def values(self) -> Any:
        """As of a dictionary."""
        self._reach_all()
        return super().values()

    def copy(self) -> dict[str, Any]:
        """A plain dictionary of the same values."""
        self._reach_all()
        return dict(self)

    def _reach_all(self) -> None:
        for key in tuple(super().keys()):
            self._reach(key)

    def __reduce__(self) -> tuple[object, ...]:
        return dict, (dict(self),)
