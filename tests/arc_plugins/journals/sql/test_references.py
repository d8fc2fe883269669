"""What refers to steps comes back as it was, whatever JSON it is."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("croniter", reason="needs the extra durable")

from arc_core.errors import FormError
from arc_plugins.journals.sql.references import RecordedValues, Records, steps_named_in

_TEXTS = st.sampled_from(["", "x" * 99, "y" * 200, "\ud83d", "$recorded"])
_LEAVES = st.none() | st.booleans() | st.integers() | _TEXTS
_NAMES = st.sampled_from(["a", "value", "type", "stopped", "messages", "$recorded"])
_JSON = st.recursive(
    _LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_NAMES, inner, max_size=3),
    max_leaves=20,
)


def _recorded(steps: dict[str, str]) -> RecordedValues:
    recorded = RecordedValues()
    for key, text in steps.items():
        recorded.add(key, text)
    return recorded


@given(st.lists(_JSON, max_size=4), _JSON, st.data())
def test_a_value_comes_back_as_it_was(records: list[Any], value: Any, data: st.DataObject) -> None:
    """Whether it was recorded, has parts that were, or only looks as if it referred to a step."""
    steps = {f"tool/{place}": json.dumps(record) for place, record in enumerate(records)}
    mixed = [value, *(data.draw(st.sampled_from(records)) for _ in records)]

    referring = json.loads(json.dumps(_recorded(steps).refer(mixed)))

    assert Records(steps).restore(referring) == mixed


@pytest.mark.parametrize("depth", [5, 11, 12, 13, 400])
def test_deep_values_come_back(depth: int) -> None:
    """References stand only near the top, and what looks like one deep below stays."""
    value: Any = {"$recorded": ["tool/0"], "text": "z" * 200}
    for _ in range(depth):
        value = [value]
    steps = {"tool/0": json.dumps({"value": "z" * 200})}

    assert Records(steps).restore(_recorded(steps).refer(value)) == value


def test_what_is_recorded_is_not_written_again() -> None:
    """Only its place is; a short value is no longer than a reference."""
    steps = {"tool/0": json.dumps({"value": {"content": "z" * 200, "name": "find"}})}

    referring = _recorded(steps).refer([{"content": "z" * 200, "name": "find"}, "find"])

    assert referring == [{"$recorded": ["tool/0", "value"]}, "find"]
    assert list(steps_named_in(referring)) == ["tool/0"]


def test_a_step_that_has_ended_the_run_is_not_referred_to() -> None:
    """It is removed when the run is taken up again."""
    stopped = {"type": "stopped", "message": "z" * 200}
    steps = {"enter": json.dumps({"type": "step", "value": stopped})}

    assert _recorded(steps).refer([stopped]) == [stopped]


def test_a_step_that_is_not_there_is_named() -> None:
    """The error says which one, and shows nothing that was said."""
    with pytest.raises(FormError, match="tool/0"):
        Records({}).restore([{"$recorded": ["tool/0", "value"]}])
