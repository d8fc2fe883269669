"""Room in the window over several lives of a run: its requests depend on its record alone."""

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arc_core import AgentCommand, ChatRequest, ContextCompacted, Message, RunSuspended, ToolCall
from arc_core.settings import AgentSettings
from arc_core.testing import ScriptedChatModel
from arc_core.testing.run_journals import DictRunJournal, DictRunJournals
from arc_plugins.compactors.summary import SummarizingCompactor
from tests.arc_core.engine import long_runs
from tests.arc_core.engine.long_runs import LongRun, calling, check_pairs, count_tokens, reading

WINDOW = 10_000
COMMAND = AgentCommand(user_prompt="How many?")

Script = list[list[ToolCall]]


class Lives:
    """A run that is ended before some of its steps, and taken up each time.

    Args:
        script: What the model says, turn by turn, in whatever life.
        ends: The keys of the steps before which its process ends.
        components: In the place of fakes.
    """

    def __init__(self, script: Script, ends: list[str], **components: Any) -> None:
        self._script, self._ends = script, ends
        self._config = long_runs.settings(WINDOW)
        self._components = components
        self.requests: dict[int, ChatRequest] = {}
        self.journal: DictRunJournal | None = None

    async def run(self, config: AgentSettings | None = None) -> "Lives":
        """Run it to its end, life by life."""
        self._config = config or long_runs.settings(WINDOW)
        journals = DictRunJournals()
        for number, end in enumerate([*self._ends, None]):
            journal = journals.open(COMMAND, run_id="r") if number == 0 else self.journal
            assert journal is not None
            self.journal = journal
            await self._live(journals, journal, end)
        return self

    async def _live(
        self, journals: DictRunJournals, journal: DictRunJournal, end: str | None
    ) -> None:
        done = sum(key.startswith("model/") for key in journal.texts)
        world = LongRun(
            self._script[done:], self._config, run_journals=journals, **self._components
        )
        await world.agent.start()
        journal.begin_life()
        journal.suspend_before = end
        assert journals.body is not None
        with suppress(RunSuspended):
            await journals.body(COMMAND, journal)
        for number, request in enumerate(world.requests, done + 1):
            self.requests[number] = request

    @property
    def messages(self) -> list[tuple[Message, ...]]:
        """Those of each request, in whatever life it was sent last."""
        return [self.requests[number].messages for number in sorted(self.requests)]

    @property
    def compactions(self) -> list[object]:
        """The records of its compactions."""
        assert self.journal is not None
        texts = self.journal.texts.items()
        return [json.loads(text)["value"] for key, text in texts if key.startswith("compact/")]


SCRIPT: Script = [calling(900) for _ in range(20)]
KEYS = [f"{kind}/{number}" for kind in ("model", "tool", "compact") for number in (1, 2, 9, 15)]


@pytest.mark.parametrize("key", KEYS)
async def test_a_run_that_goes_on_elsewhere_sends_the_same_messages(key: str) -> None:
    """Wherever its process ends, and no compaction is made twice."""
    whole = await Lives(SCRIPT, []).run()
    resumed = await Lives(SCRIPT, [key]).run()

    assert resumed.messages == whole.messages
    assert resumed.compactions == whole.compactions


async def test_readers_are_told_of_each_compaction_once() -> None:
    """Over all lives."""
    lives = await Lives(SCRIPT, ["model/15", "model/18"]).run()

    assert lives.journal is not None
    told = [each for each in lives.journal.published if isinstance(each, ContextCompacted)]
    assert len(told) == len(lives.compactions) > 1


async def test_a_later_life_reads_what_an_earlier_one_has_put_aside() -> None:
    """The record of the call has all of it."""
    script = [calling(50_000, mark="badge"), reading(key="tool/0", lines="1:30001-1")]
    lives = await Lives(script, ["model/2"]).run()

    last = lives.requests[3].messages[-1].results[0]  # type: ignore[union-attr]
    assert "badge badge" in last.text


async def test_a_summary_is_not_asked_for_again() -> None:
    """It stands in the record, with what it has cost."""
    script: Script = [calling(900) for _ in range(30)]
    config = long_runs.settings(6000, models={"small": None}, summary_model="small")
    asked = []
    for ends in ([], ["model/20", "model/28"]):
        model = ScriptedChatModel([f"Summary {number}." for number in range(60)])
        lives = Lives(script, ends, compactor=SummarizingCompactor(), models={"small": model})
        await lives.run(config)
        asked.append((len(model.requests), lives.messages))

    assert asked[0] == asked[1]
    assert asked[0][0] > 1


turns = st.lists(
    st.lists(st.integers(0, 6000), min_size=1, max_size=3).map(lambda sizes: calling(*sizes)),
    min_size=1,
    max_size=25,
)
ends = st.lists(
    st.builds("{}/{}".format, st.sampled_from(["model", "tool", "compact"]), st.integers(1, 25)),
    max_size=3,
)


@pytest.mark.slow
@given(script=turns, ends=ends)
async def test_requests_are_a_function_of_the_record_alone(script: Script, ends: list[str]) -> None:
    """Whatever the sizes, with calls at the same time, compactions and ends of processes."""
    whole = await Lives(script, []).run()
    lives = await Lives(script, ends).run()

    assert lives.messages == whole.messages
    for request in lives.requests.values():
        check_pairs(request.messages)
        assert count_tokens(request) <= WINDOW
        assert long_runs.has_question(request)
