"""Judging conditions from settings, environment, packages and other decisions."""

import pytest

from arc_autoconfig.decide.conditions import (
    AboutOthers,
    ConditionFacts,
    asks_about,
    missing_packages,
    setting_at,
    unmet,
)
from arc_core import ChatModel, Condition, Guard, Hook
from arc_core.conditions import (
    OnComponent,
    OnWinner,
    on_component,
    on_env,
    on_missing,
    on_package,
    on_setting,
    on_winner,
)
from tests.arc_autoconfig.offers import facts


def present(asked: AboutOthers) -> bool:
    """A plugin contributes guards, and the offline model won; no other component is there."""
    if isinstance(asked, OnWinner):
        return (asked.interface, asked.name) == (ChatModel, "offline")
    return (asked.interface is Guard) is isinstance(asked, OnComponent)


def _known() -> ConditionFacts:
    return facts(
        environment={"KEY": "x", "BLANK": "  "},
        packages={"redis": "5.1"},
        tools={"builtin": ["calculate"]},
        components={"response_cache": "redis"},
        llm={"provider": "offline", "models": {"a": {"host": "azure"}, "b": {}}},
    )


@pytest.mark.parametrize(
    "condition",
    [
        on_setting("llm.provider"),
        on_setting("llm.provider", "openai", "offline"),
        on_setting("llm.model", None),
        on_setting("tools.builtin", "calculate"),
        on_setting("llm.models.*.host", "azure"),
        on_setting("llm.models.*.host"),
        on_setting("components.response_cache", "redis"),
        on_env("KEY"),
        on_package("redis"),
        on_package("redis>=5,<6"),
        on_component(Guard),
        on_missing(Hook),
        on_winner(ChatModel, "offline"),
        on_env("KEY") & on_package("redis"),
        on_env("NONE") | on_env("KEY"),
        ~on_env("NONE"),
    ],
    ids=str,
)
def test_conditions_that_hold(condition: Condition) -> None:
    """Each kind of condition and each way to combine them, on facts that meet it."""
    assert unmet(condition, _known(), present) == []
    assert unmet(~condition, _known(), present) == [~condition]


@pytest.mark.parametrize(
    "condition",
    [
        on_setting("llm.model"),
        on_setting("llm.provider", "openai"),
        on_setting("tools.builtin", "current_time"),
        on_setting("llm.models.*.host", "vertex"),
        on_setting("llm.models.*.region"),
        on_setting("components.retriever"),
        on_env("NONE"),
        on_env("BLANK"),
        on_package("redis>=6"),
        on_package("valkey"),
        on_component(Hook),
        on_missing(Guard),
        on_winner(ChatModel, "openai"),
        on_env("NONE") | on_env("BLANK"),
    ],
    ids=str,
)
def test_conditions_that_do_not_hold(condition: Condition) -> None:
    """What does not hold is told."""
    assert unmet(condition, _known(), present) == [condition]


def test_only_the_parts_that_do_not_hold_are_told() -> None:
    """Of conditions joined by `&`, the reason names those that are missing."""
    condition = on_env("KEY") & (on_env("NONE") & on_package("redis"))

    assert unmet(condition, _known(), present) == [on_env("NONE")]
    assert unmet(None, _known(), present) == []


def test_missing_packages_are_found_among_the_parts() -> None:
    """Conditions on anything but packages do not count."""
    condition = on_env("NONE") & on_package("valkey") & on_package("redis")

    assert missing_packages(condition, _known()) == (on_package("valkey"),)
    assert missing_packages(None, _known()) == ()


def test_the_installed_packages_are_asked_by_default() -> None:
    """Without being told otherwise, the metadata of this environment counts."""
    known = ConditionFacts(settings=_known().settings)

    assert unmet(on_package("pydantic>=2"), known, present) == []
    assert unmet(on_package("surely-not-installed"), known, present) != []


def test_a_condition_knows_which_interfaces_it_asks_about() -> None:
    """Also inside combinations."""
    condition = on_env("KEY") & (on_env("NONE") | ~on_missing(Guard))

    assert asks_about(condition, Guard)
    assert not asks_about(condition, Hook)
    assert asks_about(on_winner(ChatModel, "offline"), ChatModel)
    assert not asks_about(None, Guard)


def test_a_setting_is_found_by_its_dotted_key() -> None:
    """Through sections and tables; what is not in a table is None."""
    settings = _known().settings

    assert setting_at(settings, "llm.max_output_tokens") == 4096
    assert setting_at(settings, "components.response_cache") == "redis"
    assert setting_at(settings, "components.retriever") is None
    assert setting_at(settings, "llm.models.*.host") == ["azure", None]
