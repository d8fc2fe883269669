"""Deciding everything at once: conditions, contributions, and independence of order."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arc_autoconfig.candidates import Candidate
from arc_autoconfig.decisions import Decisions
from arc_autoconfig.errors import AmbiguousComponentError, ConditionCycleError
from arc_autoconfig.resolution import resolve
from arc_autoconfig.slots import PLACES
from arc_core import ChatModel, Guard, Hook, ResponseCache, Retriever, Tool
from arc_core.conditions import on_component, on_env, on_missing, on_setting, on_winner
from tests.arc_autoconfig.offers import ACME, ARC, CODE, OTHER, facts, offer

OPENAI = offer(ChatModel, "openai", condition=on_env("OPENAI_API_KEY"))
ANTHROPIC = offer(ChatModel, "anthropic", condition=on_env("ANTHROPIC_API_KEY"))
OFFLINE = offer(ChatModel, "offline", condition=on_missing(ChatModel))
MODELS = (OPENAI, ANTHROPIC, OFFLINE)


def _resolved(*candidates: Candidate, **known: Any) -> Decisions:
    return resolve(candidates, facts(**known))


def _reasons(decisions: Decisions, place: str) -> dict[str, str]:
    return {loser.candidate.name: loser.reason for loser in decisions[place].losers}


def test_every_place_is_decided() -> None:
    """Also those that nobody wants."""
    decisions = _resolved()

    assert list(decisions) == [place.name for place in PLACES]
    assert all(decision.winner is None for decision in decisions.values())


def test_the_fallback_is_used_when_no_other_default_applies() -> None:
    """Without a key the offline model answers; the report says what was missing."""
    decisions = _resolved(*MODELS)

    assert decisions["chat_model"].winner is OFFLINE
    assert _reasons(decisions, "chat_model") == {
        "anthropic": "condition not met: environment variable ANTHROPIC_API_KEY is set",
        "openai": "condition not met: environment variable OPENAI_API_KEY is set",
    }


def test_the_fallback_steps_back_for_whoever_is_there() -> None:
    """A key, a plugin or the user's own model: the fallback says for whom it stepped back."""
    decisions = _resolved(*MODELS, environment={"OPENAI_API_KEY": "k"})
    assert decisions["chat_model"].winner is OPENAI
    assert _reasons(decisions, "chat_model")["offline"] == (
        "stepped back for openai (arc-agents 0.1.0)"
    )

    mine = offer(ChatModel, "mine", origin=CODE)
    decisions = _resolved(*MODELS, mine)
    assert decisions["chat_model"].winner is mine
    assert _reasons(decisions, "chat_model")["offline"] == (
        "stepped back for mine (registered in code)"
    )


def test_the_fallback_can_be_chosen_by_name() -> None:
    """`llm.provider = "offline"` works with a key set."""
    known = {"environment": {"OPENAI_API_KEY": "k"}, "llm": {"provider": "offline"}}

    assert _resolved(*MODELS, **known)["chat_model"].winner is OFFLINE


def test_a_condition_may_ask_who_won_a_slot() -> None:
    """The built-in tools come with the offline model, unless `tools.builtin` says otherwise."""
    is_demo = on_setting("tools.builtin", None) & on_winner(ChatModel, "offline")
    tool = offer(Tool, "add", condition=on_setting("tools.builtin", "add") | is_demo)
    key = {"OPENAI_API_KEY": "k"}

    assert _resolved(*MODELS, tool)["tools"].winners == (tool,)
    assert _resolved(*MODELS, tool, environment=key)["tools"].winners == ()
    assert _resolved(*MODELS, tool, tools={"builtin": []})["tools"].winners == ()
    wanted = _resolved(*MODELS, tool, environment=key, tools={"builtin": ["add"]})
    assert wanted["tools"].winners == (tool,)


def test_conditions_may_ask_about_places_decided_later() -> None:
    """Places are decided on demand, in whatever order they stand in the table."""
    model = offer(ChatModel, "m", condition=on_component(Retriever) & on_missing(Hook))
    retriever = offer(Retriever, "r", condition=on_missing(ResponseCache))

    decisions = _resolved(model, retriever)

    assert decisions["chat_model"].winner is model
    assert decisions["retriever"].winner is retriever


def test_conditions_that_ask_about_each_other_are_an_error() -> None:
    """The error names the places in a circle."""
    cache = offer(ResponseCache, "c", condition=on_missing(Retriever))
    retriever = offer(Retriever, "r", condition=on_missing(ResponseCache))

    with pytest.raises(ConditionCycleError) as raised:
        _resolved(cache, retriever)

    assert raised.value.evidence == (
        "response_cache asks about retriever asks about response_cache",
    )


def test_a_contribution_may_step_back_for_others() -> None:
    """A guard that is only wanted where there is no other takes part alone."""
    fallback = offer(Guard, "fallback", condition=on_missing(Guard))
    other = offer(Guard, "other", origin=ACME)

    assert _resolved(fallback)["guards"].winners == (fallback,)
    decisions = _resolved(fallback, other)
    assert decisions["guards"].winners == (other,)
    assert _reasons(decisions, "guards") == {"fallback": "stepped back"}


def test_guards_can_be_switched_off_and_the_report_says_so() -> None:
    """`guard.enabled = false` leaves all of them out, the user's own too."""
    guards = [offer(Guard, "length"), offer(Guard, "pii", origin=CODE)]

    decisions = _resolved(*guards, guard={"enabled": False})

    assert decisions["guards"].winners == ()
    assert _reasons(decisions, "guards") == dict.fromkeys(
        ("length", "pii"), "guard.enabled is false"
    )


_POOL = [
    OPENAI,
    OFFLINE,
    offer(ChatModel, "acme", origin=ACME, primary=True),
    offer(ChatModel, "other", origin=OTHER),
    offer(ResponseCache, "memory"),
    offer(ResponseCache, "redis", origin=ACME, condition=on_component(ChatModel)),
    *(offer(Guard, name, origin=origin) for name in "abc" for origin in (ARC, ACME, OTHER)),
    *(offer(Tool, name, origin=ACME) for name in "xyz"),
    *(offer(Guard, name, condition=on_env("NEVER")) for name in "de"),
    offer(Hook, "audit", condition=on_winner(ChatModel, "acme")),
]


@given(data=st.data())
def test_decisions_do_not_depend_on_the_order_of_the_candidates(data: st.DataObject) -> None:
    """Any selection of candidates, in any two orders, gives the same decisions."""
    chosen = data.draw(st.lists(st.sampled_from(_POOL), unique=True))
    shuffled = data.draw(st.permutations(chosen))

    assert resolve(shuffled, facts()) == resolve(chosen, facts())


def test_an_ambiguous_slot_is_a_decision_with_a_problem() -> None:
    """Others go on being decided: somebody is there, though nobody knows who."""
    ask = offer(Retriever, "r", condition=on_component(ChatModel))
    environment = {"OPENAI_API_KEY": "x", "ANTHROPIC_API_KEY": "y"}

    decisions = _resolved(*MODELS, ask, environment=environment)

    assert decisions["chat_model"].winner is None
    assert isinstance(decisions["chat_model"].problem, AmbiguousComponentError)
    assert decisions["retriever"].winner is ask
