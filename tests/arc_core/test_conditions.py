"""Conditions as values: how they combine and how the condition report prints them."""

import pytest

from arc_core import ChatModel, Guard
from arc_core.conditions import (
    AllOf,
    AnyOf,
    Condition,
    Not,
    on_component,
    on_env,
    on_missing,
    on_package,
    on_profile,
    on_setting,
)


@pytest.mark.parametrize(
    ("condition", "text"),
    [
        (on_setting("cache.backend", "redis"), "setting cache.backend is 'redis'"),
        (on_setting("cache.backend", "a", "b"), "setting cache.backend is 'a' or 'b'"),
        (on_setting("audit.enabled"), "setting audit.enabled is set"),
        (on_package("redis>=5"), "package redis>=5 is installed"),
        (
            on_package("redis>=5", install="arc-agents[redis]"),
            'package redis>=5 is installed (pip install "arc-agents[redis]")',
        ),
        (on_env("OPENAI_API_KEY"), "environment variable OPENAI_API_KEY is set"),
        (on_missing(ChatModel), "no ChatModel is there besides Arc's default"),
        (on_component(Guard), "a Guard is there besides Arc's default"),
        (~on_env("CI"), "environment variable CI is not set"),
        (~on_setting("cache.backend", "redis"), "setting cache.backend is not 'redis'"),
        (~on_setting("cache.backend", "a", "b"), "setting cache.backend is neither 'a' nor 'b'"),
        (~on_package("redis>=5", install="x"), "package redis>=5 is not installed"),
        (~on_missing(Guard), "a Guard is there besides Arc's default"),
        (~on_component(Guard), "no Guard is there besides Arc's default"),
        (~~on_env("CI"), "environment variable CI is set"),
    ],
)
def test_a_condition_prints_as_a_sentence(condition: Condition, text: str) -> None:
    """The report shows a condition in words."""
    assert str(condition) == text


def test_operators_make_combinations_of_their_parts() -> None:
    """`&`, `|` and `~` keep their parts, so that each can be judged alone."""
    first, second = on_env("A"), on_env("B")

    assert first & second == AllOf((first, second))
    assert first | second == AnyOf((first, second))
    assert ~first == Not(first)


A, B, C, D = (on_profile(name) for name in "abcd")


@pytest.mark.parametrize(
    ("condition", "text"),
    [
        (A & B & C, "{a} and {b} and {c}"),
        (A | B | C, "any of: {a}; {b}; {c}"),
        (A | (B & C), "any of: {a}; {b} and {c}"),
        ((A | B) & C, "{c}, and any of: {a}; {b}"),
        ((A | B) & (C | D), "any of: {a}; {b}, and any of: {c}; {d}"),
        (~(A | B), "none of: {a}; {b}"),
        (~(A & B), "not all of: {a}; {b}"),
        (~(A | B) & C, "{c}, and none of: {a}; {b}"),
        (A | (B & (C | D)), "any of: {a}; {b} and {c}; {b} and {d}"),
        (A | (B & ~(C & ~~D)), "any of: {a}; {b} and {not_c}; {b} and {not_d}"),
        (~(A & (B | C)), "any of: {not_a}; {not_b} and {not_c}"),
    ],
)
def test_several_parts_print_as_a_list(condition: Condition, text: str) -> None:
    """However they were put together; a list inside of another one is multiplied out."""
    names = {name: f"profile {name} is active" for name in "abcd"}
    names |= {f"not_{name}": f"profile {name} is not active" for name in "abcd"}

    assert str(condition) == text.format(**names)


def test_equal_conditions_are_equal_values() -> None:
    """Two conditions that say the same are the same, so that decisions can be compared."""
    assert on_setting("a.b", 1) == on_setting("a.b", 1)
    assert len({on_env("A"), on_env("A"), on_env("B")}) == 2


def test_and_in_words_is_refused() -> None:
    """`and` would drop the left side without a word, so a condition has no truth value."""
    with pytest.raises(TypeError, match="&"):
        bool(on_env("A"))
