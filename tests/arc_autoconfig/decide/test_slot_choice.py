"""Who fills one slot among those that want to."""

from typing import Any

import pytest

from arc_autoconfig.decide.decisions import STEPPED_BACK, Loser, WiringDecision
from arc_autoconfig.decide.slot_choice import decide_slot
from arc_autoconfig.declare.candidates import Candidate, Origin
from arc_autoconfig.errors import AmbiguousComponentError, ComponentError, UnknownNameError
from arc_core import ChatModel, ResponseCache
from arc_core.components.extension_points import Slot, get_place
from arc_core.conditions import on_env, on_package
from tests.arc_autoconfig.offers import ACME, ARC, CODE, OTHER, SLOTS, facts, offer


def _cache(name: str, origin: Origin = ARC, **options: Any) -> Candidate:
    return offer(ResponseCache, name, origin=origin, **options)


def _decided(
    *offers: Candidate, losers: tuple[Candidate, ...] = (), **settings: Any
) -> WiringDecision:
    slot = get_place((*offers, *losers)[0].place.interface)
    assert isinstance(slot, Slot)
    unmet = [Loser(candidate=each, reason="condition not met: …") for each in losers]
    return decide_slot(slot, offers, losers=unmet, facts=facts(**settings))


MEMORY, REDIS, VALKEY, MINE = (
    _cache("memory"),
    _cache("redis", ACME),
    _cache("valkey", OTHER),
    _cache("mine", CODE),
)


@pytest.mark.parametrize(
    ("offers", "winner", "reason"),
    [
        ((MEMORY,), MEMORY, "Arc's default"),
        ((MEMORY, REDIS), REDIS, "brought by a plugin"),
        ((MEMORY, REDIS, VALKEY, MINE), MINE, "registered in code"),
    ],
)
def test_code_wins_against_plugins_and_plugins_against_defaults(
    offers: tuple[Candidate, ...], winner: Candidate, reason: str
) -> None:
    """The nearer to the user, the stronger."""
    decision = _decided(*offers)

    assert decision.winner is winner
    assert decision.reason == reason


def test_a_loser_says_for_which_winner_it_steps_back() -> None:
    """Losers come by name, with the winner's name, distribution and version."""
    decision = _decided(REDIS, MEMORY)

    (loser,) = decision.losers
    assert loser.candidate is MEMORY
    assert loser.reason == f"{STEPPED_BACK} for redis (acme-arc 1.2)"


def test_conditions_that_do_not_hold_stay_the_reason() -> None:
    """A loser that could not have won anyway says so."""
    decision = _decided(MEMORY, losers=(REDIS,))

    assert [loser.reason for loser in decision.losers] == ["condition not met: …"]


def test_no_winner_is_a_decision_too() -> None:
    """An empty slot has no winner and no reason."""
    decision = _decided(losers=(REDIS,))

    assert decision.winner is None
    assert decision.reason == ""


def test_two_plugins_are_ambiguous() -> None:
    """The error lists both with distribution and version, and the setting that chooses."""
    with pytest.raises(AmbiguousComponentError, match="2 components want to be") as raised:
        _decided(MEMORY, VALKEY, REDIS)

    assert raised.value.evidence == ("redis (acme-arc 1.2)", "valkey (other-arc 3.4)")
    assert raised.value.remedy == "set components.response_cache to 'redis' or 'valkey'"


def test_a_primary_candidate_settles_it() -> None:
    """Of several plugins the one that says so wins; of two that say so, none."""
    primary = _cache("mongo", OTHER, primary=True)

    assert _decided(REDIS, primary).winner is primary
    with pytest.raises(AmbiguousComponentError):
        _decided(primary, _cache("sql", ACME, primary=True))


def test_two_in_code_are_ambiguous() -> None:
    """Both ways out are told besides the program's own correction."""
    with pytest.raises(AmbiguousComponentError) as raised:
        _decided(MINE, _cache("other", CODE))

    assert raised.value.remedy.startswith("register one of them only, ")
    assert "set components.response_cache to 'mine' or 'other'" in raised.value.remedy
    assert raised.value.remedy.endswith("mark one with @provides(ResponseCache, primary=True)")


@pytest.mark.parametrize("interface", [slot.interface for slot in SLOTS], ids=lambda i: i.__name__)
@pytest.mark.parametrize("primary", [False, True])
@pytest.mark.parametrize("other", [ARC, OTHER], ids=["Arc", "another package"])
def test_a_name_that_two_packages_offer_cannot_be_chosen(
    interface: type, other: Origin, *, primary: bool
) -> None:
    """A package cannot take the place of another by its name; the error names both."""
    slot = get_place(interface)
    assert isinstance(slot, Slot)
    offers = (
        offer(interface, "x", origin=ACME, primary=primary),
        offer(interface, "x", origin=other),
    )

    with pytest.raises(
        AmbiguousComponentError, match=f"components.{slot.name} names 'x'"
    ) as raised:
        _decided(*offers, components={slot.name: "x"})

    assert {"x (acme-arc 1.2)", f"x ({other})"} == set(raised.value.evidence)
    assert "plugins.disabled" in raised.value.remedy


def test_a_namesake_whose_condition_does_not_hold_counts_too() -> None:
    """Which package is meant must not hang on a condition of one of them."""
    models = (
        offer(ChatModel, "openai", condition=on_env("OPENAI_API_KEY")),
        offer(ChatModel, "openai", origin=ACME),
    )

    with pytest.raises(AmbiguousComponentError, match=r"llm\.provider names 'openai'"):
        _decided(models[1], losers=models[:1], llm={"provider": "openai"})


def test_one_package_may_offer_a_name_twice() -> None:
    """Under conditions of which one holds."""
    fast, slow = _cache("redis", ACME), _cache("redis", ACME, condition=on_env("SLOW"))

    assert _decided(fast, losers=(slow,), components={"response_cache": "redis"}).winner is fast


def test_the_condition_tells_a_winner_from_its_namesake() -> None:
    """The name alone would not say which of them won."""
    here, there = on_env("HERE"), on_env("THERE")
    winner, loser = _cache("redis", ACME, condition=here), _cache("redis", ACME, condition=there)

    decision = _decided(winner, losers=(loser,))

    reason = "brought by a plugin; its condition holds: environment variable HERE is set"
    assert decision.reason_for(winner) == reason


def test_a_name_that_is_offered_twice_is_known_once() -> None:
    """It can be written in one way only."""
    fast, slow = _cache("redis", ACME), _cache("redis", ACME, condition=on_env("SLOW"))

    with pytest.raises(UnknownNameError) as raised:
        _decided(fast, losers=(slow,), components={"response_cache": "reddis"})

    assert raised.value.evidence == ("known names: redis",)


def test_a_setting_chooses_among_plugins_and_defaults() -> None:
    """Also a default, whose plugin rivals step back then."""
    decision = _decided(MEMORY, REDIS, VALKEY, components={"response_cache": "memory"})

    assert decision.winner is MEMORY
    assert decision.reason == "named by components.response_cache"


def test_code_wins_against_a_setting_that_names_another() -> None:
    """A program's own component is not replaced by a file or variable."""
    assert _decided(MEMORY, MINE, components={"response_cache": "memory"}).winner is MINE
    rival = _cache("other", CODE)
    assert _decided(MINE, rival, components={"response_cache": "mine"}).winner is MINE


def test_a_component_in_code_of_the_same_name_wins() -> None:
    """A program's own component is the one that its author means."""
    namesake = _cache("memory", CODE)

    decision = _decided(MEMORY, namesake, components={"response_cache": "memory"})

    assert decision.winner is namesake


def test_an_unknown_name_is_answered_with_the_nearest() -> None:
    """The error names the setting and all known names."""
    with pytest.raises(
        UnknownNameError, match=r"components\.response_cache names 'reddis'"
    ) as raised:
        _decided(MEMORY, REDIS, components={"response_cache": "reddis"})

    assert raised.value.evidence == ("known names: memory, redis",)
    assert raised.value.remedy == "write 'redis'"


def test_a_provider_is_chosen_without_its_credentials() -> None:
    """`llm.provider` is enough: the model itself complains about a missing key when it starts."""
    openai = offer(ChatModel, "openai", condition=on_env("OPENAI_API_KEY"))
    offline = offer(ChatModel, "offline")

    decision = _decided(offline, losers=(openai,), llm={"provider": "openai"})

    assert decision.winner is openai
    assert decision.reason == "named by llm.provider"


def test_a_preference_chooses_among_those_that_take_part() -> None:
    """`cache.backend` names any cache that is installed, a third party's too."""
    decision = _decided(MEMORY, REDIS, VALKEY, cache={"backend": "valkey"})

    assert decision.winner is VALKEY
    assert decision.reason == "named by cache.backend"


def test_the_default_of_a_preference_prefers_nothing() -> None:
    """An installed cache makes Arc's step back, unless Arc's is asked for."""
    assert _decided(MEMORY, REDIS).winner is REDIS
    assert _decided(MEMORY, REDIS, cache={"backend": "memory"}).winner is MEMORY


def test_a_preference_does_not_overrule_conditions() -> None:
    """What caching is not switched on for, or lacks a package, leaves the slot to others."""
    decision = _decided(MEMORY, losers=(REDIS,), cache={"backend": "redis"})

    assert (decision.winner, decision.reason) == (MEMORY, "Arc's default")


def test_an_unknown_preference_is_answered_with_the_nearest() -> None:
    """The error lists the installed ones, whether or not their conditions hold."""
    with pytest.raises(UnknownNameError, match=r"cache\.backend names 'reddis'") as raised:
        _decided(MEMORY, losers=(REDIS,), cache={"backend": "reddis"})

    assert raised.value.evidence == ("known names: memory, redis",)


def test_a_slot_named_in_full_counts_more_than_a_preference() -> None:
    """`components.response_cache` chooses, whatever `cache.backend` prefers."""
    choices: Any = {"components": {"response_cache": "redis"}, "cache": {"backend": "memory"}}

    assert _decided(MEMORY, REDIS, **choices).winner is REDIS


def test_code_wins_against_a_preference() -> None:
    """As against any setting that names another component."""
    assert _decided(MEMORY, MINE, cache={"backend": "memory"}).winner is MINE


def test_a_chosen_component_needs_its_packages() -> None:
    """What cannot be imported cannot be chosen; the error names the package."""
    redis = _cache("redis", condition=on_env("X") & on_package("redis>=5"))

    with pytest.raises(ComponentError, match="cannot be used") as raised:
        _decided(MEMORY, losers=(redis,), components={"response_cache": "redis"})

    assert raised.value.evidence == ("condition not met: package redis>=5 is installed",)


def test_two_keys_and_no_provider_is_ambiguous() -> None:
    """The error shows which keys are set, and that `llm.provider` chooses."""
    models = [
        offer(ChatModel, name, condition=on_env(f"{name.upper()}_API_KEY"))
        for name in ("openai", "anthropic")
    ]

    with pytest.raises(AmbiguousComponentError) as raised:
        _decided(*models)

    assert raised.value.remedy == "set llm.provider to 'anthropic' or 'openai'"
    assert "because environment variable ANTHROPIC_API_KEY is set" in raised.value.evidence[0]


def test_two_settings_must_not_disagree() -> None:
    """`llm.provider` and `components.chat_model` say the same thing twice."""
    model = offer(ChatModel, "openai")
    agreeing: Any = {"components": {"chat_model": "openai"}, "llm": {"provider": "openai"}}

    assert _decided(model, **agreeing).winner is model
    with pytest.raises(ComponentError, match="two settings name different components") as raised:
        _decided(model, components={"chat_model": "openai"}, llm={"provider": "offline"})
    assert "keyword argument llm.provider" in raised.value.evidence[1]
