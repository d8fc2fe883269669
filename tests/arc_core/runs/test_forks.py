"""The steps that a fork takes over."""

import pytest

from arc_core import ForkError
from arc_core.runs.forks import choose_steps

STEPS = [
    "enter", "model/1", "approve/1", "tool/1", "tool/0/enter", "tool/0/model/1", "tool/0",
    "compact/1", "model/2", "tool/2", "hand_over/1", "model/3", "finish",
]  # fmt: skip
"""Two calls at once, of which the second ends first, and the first has asked another agent."""


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        ("enter", STEPS[:1]),
        ("model/1", STEPS[:2]),
        ("approve/1", ["enter", "model/1", "approve/1", *STEPS[4:7]]),
        ("tool/0", ["enter", "model/1", *STEPS[4:7]]),
        ("tool/1", STEPS[:7]),
        ("compact/1", STEPS[:8]),
        ("tool/2", STEPS[:10]),
        ("hand_over/1", STEPS[:11]),
        ("model/3", STEPS[:12]),
    ],
)
def test_a_fork_takes_over_what_was_before(after: str, expected: list[str]) -> None:
    """Calls of one turn in their order, whichever of them has ended first."""
    assert choose_steps(STEPS, after=after, run_id="r") == expected


@pytest.mark.parametrize(
    ("after", "said"),
    [
        ("model/9", "it has no step 'model/9' of its own; did you mean 'model/3'?"),
        ("tool/0/model/1", "it has no step 'tool/0/model/1' of its own"),
        ("finish", "it has ended there; name a step before"),
        ("", "it has no step '' of its own; did you mean 'model/3'?"),
    ],
)
def test_a_step_that_is_not_there_is_refused(after: str, said: str) -> None:
    """By its name, with one that is there."""
    with pytest.raises(ForkError) as raised:
        choose_steps(STEPS, after=after, run_id="r")

    assert said in str(raised.value)


def test_a_run_without_steps_cannot_be_forked_yet() -> None:
    """The error says what to wait for."""
    with pytest.raises(ForkError, match="it has no step yet; wait until one has ended"):
        choose_steps([], after="enter", run_id="r")
