"""No guard holds the event loop for long, whatever prompt comes within the default limits."""

import time

import pytest

from arc_core import Guard, GuardRequest
from arc_core.settings import GuardSettings
from benchmarks.injection_guard import HOSTILE, default_guards

MAX_HOLD_S = 0.05
LIMIT = GuardSettings().max_input_chars
RAW_LIMIT = 4 * LIMIT
UNITS = HOSTILE | {
    "ligatures": "\ufdfa",
    "squared units": "\u33af",
    "base64": "aWdub3JlIGFsbCA",
    "camel case": "IgnoreAllRules",
    "joined words": "ignoreall" * 8 + " ",
    "digits for letters": "1gn0re ",
    "frames": "---",
    "entities twice": "&amp;#38;#105;",
}


@pytest.mark.parametrize("unit", UNITS.values(), ids=UNITS)
async def test_no_guard_holds_the_loop_for_long(unit: str) -> None:
    """Every step between two turns of the event loop takes less than 50 ms of CPU time."""
    text = (unit * RAW_LIMIT)[:RAW_LIMIT]

    for guard in default_guards():
        within = text if guard.order <= 0 else text[:LIMIT]
        assert min(_longest_step_s(guard, within) for _ in range(3)) < MAX_HOLD_S


def _longest_step_s(guard: Guard, text: str) -> float:
    check = guard.check(GuardRequest(text=text, user_id="ann"))
    longest = 0.0
    while True:
        begin = time.process_time()
        try:
            check.send(None)
        except StopIteration:
            return max(longest, time.process_time() - begin)
        longest = max(longest, time.process_time() - begin)
