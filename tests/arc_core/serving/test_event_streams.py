"""Where a reader of a run is."""

from collections.abc import AsyncGenerator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arc_core import AgentEvent, AgentResult, TextDelta
from arc_core.runs.run import RunHandle
from arc_core.serving import Position, Problem, number_events, read_position


class ReadRun(RunHandle):
    """A run that has told events, some of them of a run below it."""

    def __init__(self, below: list[bool]) -> None:
        seqs = {"outer": 0, "inner": 0}
        self.told: list[AgentEvent] = []
        for is_below in below:
            name = "inner" if is_below else "outer"
            seqs[name] += 1
            self.told.append(TextDelta(f"{len(self.told)}", run_id=name, seq=seqs[name]))

    @property
    def id(self) -> str:
        return "outer"

    async def events(self, *, after: int | None = None) -> AsyncGenerator[AgentEvent]:
        """Those behind the event of the run with this number."""
        places = [
            place
            for place, event in enumerate(self.told)
            if event.run_id == "outer" and event.seq <= (after or 0)
        ]
        for event in self.told[places[-1] + 1 if places else 0 :]:
            yield event

    async def result(self) -> AgentResult:
        """Not asked for."""
        raise NotImplementedError


@given(st.lists(st.booleans(), max_size=12))
async def test_a_reader_reconnects_after_any_event(below: list[bool]) -> None:
    """With what it has not got, and nothing twice, also between events of runs below."""
    run = ReadRun(below)
    whole = [each async for each in number_events(run, after=Position())]

    for place, (position, _) in enumerate(whole):
        asked = read_position(str(position))
        rest = [each async for each in number_events(run, after=asked)]
        assert rest == whole[place + 1 :]


@pytest.mark.parametrize("text", ["x", "-1", "1.", ".1", "1.2.3", "1e3", "9" * 16, "\u0661"])
def test_what_is_not_a_position_is_refused(text: str) -> None:
    """The problem names the header."""
    with pytest.raises(Problem) as caught:
        read_position(text)

    assert (caught.value.status, caught.value.param) == (400, "Last-Event-ID")


@pytest.mark.parametrize("text", [None, "", "0"])
def test_the_beginning_has_several_names(text: str | None) -> None:
    """A reader that has nothing says nothing."""
    assert read_position(text) == Position()
