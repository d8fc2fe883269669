"""Ids of questions that a client answers."""

import pytest

from arc_core.serving import Position, Problem, RequestId


@pytest.mark.parametrize("run_id", ["r", "a#b", "#", "r/1"])
def test_the_id_of_a_question_says_run_call_and_position(run_id: str) -> None:
    """Whatever the id of the run is made of."""
    question = RequestId(run_id, "tool/0/approve/1", Position(7, 2))

    assert RequestId.read(str(question), param="id") == question


@pytest.mark.parametrize("text", ["", "#", "##", "r#k#", "r##1", "#k#1", "r#k"])
def test_what_is_not_the_id_of_a_question_is_refused(text: str) -> None:
    """The problem names the place in the request."""
    with pytest.raises(Problem) as caught:
        RequestId.read(text, param="resume[0].interruptId")

    assert (caught.value.status, caught.value.param) == (422, "resume[0].interruptId")
