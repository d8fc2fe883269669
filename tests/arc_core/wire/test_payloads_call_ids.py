"""Ids of tool calls: one each, the same for the result, the same every time."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arc_core import AssistantMessage, ToolCall, ToolResult, ToolResultMessage, UserMessage
from arc_core.wire import CallIds, sendable_name

turns_of_ids = st.lists(st.lists(st.sampled_from(["", "a", "b", "call_0", "call_1"]), max_size=4))


def calls(*ids: str) -> AssistantMessage:
    """Calls with these ids."""
    return AssistantMessage("", tuple(ToolCall(each, "tool", "{}") for each in ids))


def results(*ids: str) -> ToolResultMessage:
    """Results of calls with these ids."""
    return ToolResultMessage(tuple(ToolResult(each, "tool", "done") for each in ids))


def test_good_ids_are_kept() -> None:
    """What a vendor gave goes back to it."""
    ids = CallIds()

    assert ids.of(calls("a", "b")) == ids.of(results("a", "b")) == ("a", "b")


def test_a_message_has_the_ids_of_its_calls_or_results() -> None:
    """Whichever it has; other messages have none."""
    ids = CallIds()
    called = calls("a", "a")
    answered = results("a", "a")

    assert ids.of(UserMessage("Hi")) == ids.of(AssistantMessage("Hello")) == ()
    assert ids.of(called) == ids.of(answered)
    assert len(set(ids.of(answered))) == 2


@given(turns_of_ids)
def test_every_call_has_an_id_of_its_own(turns: list[list[str]]) -> None:
    """Missing and repeated ids get new ones, in one turn and over all of them."""
    ids = CallIds()

    given_ids = [call_id for turn in turns for call_id in ids.of(calls(*turn))]

    assert all(given_ids)
    assert len(set(given_ids)) == len(given_ids)


@given(turns_of_ids)
def test_results_answer_the_calls_before_them(turns: list[list[str]]) -> None:
    """A result has the id of the call in its place."""
    ids = CallIds()

    for turn in turns:
        assert ids.of(calls(*turn)) == ids.of(results(*turn))


@given(turns_of_ids)
def test_the_same_conversation_gets_the_same_ids(turns: list[list[str]]) -> None:
    """Nothing is left to chance, so that a vendor's prompt cache recognises it."""
    first, second = CallIds(), CallIds()

    assert [first.of(calls(*t)) for t in turns] == [second.of(calls(*t)) for t in turns]


def test_ids_that_a_vendor_refuses_are_replaced() -> None:
    """Another vendor's id may have letters that this one does not take."""
    ids = CallIds(re.compile(r"[a-z0-9_]+"))

    assert ids.of(calls("functions.search:0", "fine")) == ("call_0", "fine")


def test_results_without_calls_keep_their_ids() -> None:
    """A history that does not match is sent as it is."""
    assert CallIds().of(results("a")) == ("a",)


@pytest.mark.parametrize(
    ("name", "sent"),
    [
        ("get_weather-2", "get_weather-2"),
        ("functions.get weather", "functions_get_weather"),
        ("날씨", "__"),
        ("", "unnamed"),
        ("x" * 80, "x" * 64),
    ],
)
def test_invented_names_become_sendable(name: str, sent: str) -> None:
    """Names have the letters and the length that vendors take."""
    assert sendable_name(name) == sent


def test_a_made_id_costs_the_same_however_many_are_taken() -> None:
    """A vendor that repeats one id, and takes made ones, cannot hold the event loop."""
    ids = CallIds()
    taken = [f"call_{place}" for place in range(20_000, 40_000)]

    given_ids = ids.of(calls(*taken, *["same"] * 20_000))

    assert len(set(given_ids)) == 40_000
    assert given_ids[-1] == "call_59998"
