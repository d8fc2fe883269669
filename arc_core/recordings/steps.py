"""The steps of a recording as values, with what their keys say."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from arc_core.engine.journal.recorder import START
from arc_core.engine.journal.records import Record
from arc_core.engine.journal.step_forms import STEP_FORMS
from arc_core.errors import FormError
from arc_core.forms.json_text import name_place_within
from arc_core.runs.journal import Recording

ASKING_KINDS = frozenset({"approve", "ask", "login"})
"""The kinds of steps in which a person is asked about a tool call, whose number they have."""

_MAX_CHARS = 1_000
"""Of a key, which has few levels, and numbers of few figures."""


@dataclass(frozen=True, slots=True)
class StepKey:
    """The key of a step, taken apart.

    Attributes:
        place: Of a run that another one has started, as `tool/3/`; empty for the run itself. That
            of `begun`, `asked` and `note` is the call which they belong to.
        kind: What `STEP_FORMS` calls it.
        number: Among those of its kind in its run; 0 if there is only one, and -1 of what asks a
            person about no call.
        time: Of what asks a person about the call of this number: which question it is, from 1.
    """

    place: str
    kind: str
    number: int = 0
    time: int = 1

    @classmethod
    def parse(cls, text: str) -> "StepKey | None":
        """Return the key of a text; None if no version of Arc writes such a one."""
        if len(text) > _MAX_CHARS:
            return None
        *rest, last = text.split("/")
        number, time = 0, 1
        if rest[-2:-1] and rest[-2] in ASKING_KINDS and last.isdecimal():
            if rest[-1] == START:
                return cls(_join(rest[:-2]), rest[-2], -1, int(last))
            if rest[-1].isdecimal():
                last, time = rest.pop(), int(last)
        if rest and last.isdecimal():
            last, number = rest.pop(), int(last)
        if last not in STEP_FORMS:
            return None
        return cls(_join(rest), last, number, time)


def _join(places: Iterable[str]) -> str:
    return "".join(f"{each}/" for each in places)


@dataclass(frozen=True, slots=True)
class Step:
    """A step of a run.

    Attributes:
        name: Its key, as it stands in the record.
        key: The same, taken apart.
        record: What it gave, and when.
    """

    name: str
    key: StepKey
    record: Record[Any]

    @property
    def value(self) -> Any:
        """The value that it gave: an `EntryStep`, a `ModelStep` and so on, or a `StopStep`."""
        return self.record.value


def read_steps(recording: Recording) -> Iterator[Step]:
    """Yield the steps of a recording in the order of their ends.

    Raises:
        FormError: A step is not one that Arc has written, or was edited; names it.
    """
    for name, text in recording.steps.items():
        key = StepKey.parse(name)
        if key is None:
            raise FormError(
                "no version of Arc has a step of this name",
                place=f"$.steps[{name!r}]",
                remedy="export the run again",
            )
        with name_place_within(f"$.steps[{name!r}]"):
            record = STEP_FORMS[key.kind].read(text)
        yield Step(name, key, record)
