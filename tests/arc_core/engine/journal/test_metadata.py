"""The metadata of a recorded run: each change belongs to the step that made it."""

import copy
import pickle
from contextlib import ExitStack
from contextvars import copy_context
from operator import attrgetter
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from arc_core.engine.journal.metadata import RunMetadata, StepChanges
from arc_core.tools.threads import run_in_thread

AT_FIRST = {"spent": 0, "cost": 0.0, "sums": {"eur": 0.0}, "ids": ["z"], "status": "new"}

NUMBERS = st.one_of(st.integers(-9, 9), st.floats(-9, 9))
DOINGS = st.one_of(
    st.tuples(st.sampled_from(["count", "count_inside", "append", "write"]), NUMBERS),
    st.tuples(st.sampled_from(["remove", "replace", "merge", "extend"]), NUMBERS),
)


class Step:
    """A step that goes on beside others, in a context of its own as a task has it."""

    def __init__(self, metadata: RunMetadata) -> None:
        self.metadata, self.context = metadata, copy_context()
        self.stack = ExitStack()
        self.changes: StepChanges = self.context.run(self.stack.enter_context, metadata.changing())

    def do(self, what: str, number: float) -> None:
        """Change something as programs do."""
        self.context.run(change, self.metadata, what, number)

    def end(self) -> None:
        """Note what was changed in place."""
        self.context.run(self.stack.close)


def change(metadata: Any, what: str, number: float) -> None:
    """Change something as programs do."""
    match what:
        case "count":
            metadata["spent"] = metadata.get("spent", 0) + number
        case "count_inside":
            metadata.setdefault("sums", {}).setdefault("eur", 0.0)
            metadata["sums"]["eur"] += number
        case "append":
            metadata.setdefault("ids", []).append(number)
        case "extend":
            metadata["ids"] = [*metadata.get("ids", []), number]
        case "write":
            metadata["status"] = number
        case "remove":
            metadata.pop("spent" if number > 0 else "sums", None)
        case "replace":
            metadata["ids"] = [number]
        case _:
            metadata.update({"cost": number}, more={"of": [number]})


@given(st.lists(st.tuples(st.integers(0, 2), DOINGS), max_size=25), st.permutations([0, 1, 2]))
def test_what_was_restored_is_what_the_live_run_had(
    doings: list[tuple[int, tuple[str, float]]], ends: list[int]
) -> None:
    """For all changes of steps at once, in whatever order they end; to the last digit."""
    live = RunMetadata(AT_FIRST)
    steps = [Step(live) for _ in range(3)]
    for place, doing in doings:
        steps[place].do(*doing)
    for place in ends:
        steps[place].end()

    restored = RunMetadata(AT_FIRST)
    made = [each for step in steps for each in step.changes.made]
    restored.restore(sorted(made, key=attrgetter("number")))

    assert sorted_of(restored) == sorted_of(live)


def sorted_of(metadata: RunMetadata) -> list[str]:
    """The values by their keys, whose order may be another one."""
    return sorted(f"{key} {value!r}" for key, value in dict(metadata).items())


@given(st.lists(st.tuples(st.booleans(), NUMBERS), max_size=12))
def test_counters_come_out_right_without_the_step_that_was_killed(
    counted: list[tuple[bool, float]],
) -> None:
    """What another step had counted meanwhile is not recorded with it."""
    metadata = RunMetadata({"spent": 0})
    killed, ended = Step(metadata), Step(metadata)
    expected = 0
    for is_killed, number in counted:
        (killed if is_killed else ended).do("count", int(number))
        expected += 0 if is_killed else int(number)
    ended.end()
    killed.end()

    restored = RunMetadata({"spent": 0})
    restored.restore(ended.changes.made)

    assert restored["spent"] == expected


def test_a_value_that_is_written_without_being_read_is_not_counted() -> None:
    """The number of a state is put there, and not added."""
    metadata = RunMetadata({})
    one, other = Step(metadata), Step(metadata)
    one.do("write", 200)
    other.do("write", 404)
    other.end()
    one.end()

    restored = RunMetadata({})
    restored.restore(other.changes.made)

    assert restored == {"status": 404}


async def test_threads_of_a_step_change_for_it() -> None:
    """As tools without `async` do."""
    metadata = RunMetadata({"spent": 1})

    with metadata.changing() as step:
        await run_in_thread(change, metadata=metadata, what="count", number=2)

    assert [(each.counted_from, each.value) for each in step.made] == [(1, 3)]


def test_a_step_below_does_not_get_the_changes_of_the_one_above() -> None:
    """Each run has metadata of its own, and one may write into that of its caller."""
    above, below = RunMetadata({}), RunMetadata({})

    with above.changing() as outer, below.changing() as inner:
        above["budget"] = "soft"
        below["budget"] = "low"

    assert [each.value for each in outer.made] == ["soft"]
    assert [each.value for each in inner.made] == ["low"]


def test_what_no_step_has_changed_is_recorded_by_none() -> None:
    """What is done between steps is done again in each life."""
    metadata = RunMetadata({"ids": []})
    metadata["ids"].append("between")
    metadata["of"] = "nobody"

    with metadata.changing() as step:
        pass

    assert step.made == []


def test_a_value_that_contains_itself_is_let_be() -> None:
    """What JSON cannot carry is found when it is written, which names the key."""
    endless: list[Any] = []
    endless.append(endless)
    metadata = RunMetadata({})

    with metadata.changing() as step:
        metadata["endless"] = endless

    assert step.made[0].value is endless


def test_copies_are_plain_dictionaries() -> None:
    """They may outlive the run."""
    metadata = RunMetadata({"ids": [1]})

    for each in (metadata.copy(), copy.deepcopy(metadata), pickle.loads(pickle.dumps(metadata))):
        assert (type(each), each) == (dict, {"ids": [1]})
