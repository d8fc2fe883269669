"""Which fields of requests count, which are ignored, and which are refused."""

from typing import Any

import pytest

from arc_core.serving import JsonBody, Problem, StrictFields
from arc_plugins.surfaces.openai.fields import IGNORED, REFUSED, read_fields


class Model(StrictFields):
    """The fields that count."""

    model: str = "default"


@pytest.mark.parametrize("name", sorted(IGNORED))
def test_fields_that_change_nothing_are_ignored(name: str) -> None:
    """Whatever they say."""
    assert read_fields(JsonBody({name: {"any": 1}}, 9), Model) == Model()


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_fields_that_ask_for_another_answer_are_refused(name: str) -> None:
    """With a sentence, unless they ask for nothing."""
    with pytest.raises(Problem) as raised:
        read_fields(JsonBody({name: [{"type": "function"}]}, 9), Model)

    problem = raised.value
    assert (problem.status, problem.param, problem.message) == (422, name, REFUSED[name])
    nothings: tuple[Any, ...] = (None, [], False, 0)
    for nothing in nothings:
        assert read_fields(JsonBody({name: nothing}, 9), Model) == Model()


@pytest.mark.parametrize(
    "said", [{"n": 1}, {"modalities": ["text"]}, {"function_call": "none"}, {"model": None}]
)
def test_what_is_so_anyway_may_be_asked_for(said: dict[str, Any]) -> None:
    """Null is as if the field were not there."""
    assert read_fields(JsonBody(said, 9), Model) == Model()


def test_other_fields_are_named() -> None:
    """Those that OpenAI's API does not have."""
    with pytest.raises(Problem) as raised:
        read_fields(JsonBody({"top_k": 4}, 9), Model)

    assert (raised.value.status, raised.value.param) == (422, "top_k")
