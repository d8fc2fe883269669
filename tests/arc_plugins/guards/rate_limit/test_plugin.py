"""Which guard counts is decided by the settings."""

from typing import Any

import pytest
from pydantic import SecretStr

from arc_core import ConfigurationError, Guard
from arc_core.log import get_logger
from arc_plugins.guards.rate_limit import plugin
from arc_plugins.guards.rate_limit.settings import RateLimitSettings
from tests.arc_plugins.registrations import registrations_of
from tests.arc_plugins.wired import wired

SHARED = RateLimitSettings(
    rate_limit_per_minute=5, rate_limit_redis_url=SecretStr("redis://127.0.0.1:1/0")
)


def test_the_conditions_say_which_setting_wires_it() -> None:
    """A limit switches counting on, the address of a server moves it there."""
    limited = (
        "any of: setting guard.rate_limit_per_minute is set; "
        "setting guard.rate_limit_per_hour is set"
    )
    shared = "setting guard.rate_limit_redis_url is"

    assert {name: str(each.condition) for name, each in registrations_of(plugin).items()} == {
        "rate_limit": f"{shared} not set, and {limited}",
        "redis_rate_limit": f"{shared} set, and {limited}",
    }


def test_counting_in_memory_needs_nothing() -> None:
    """The place given as text leads to a guard."""
    guard = registrations_of(plugin)["rate_limit"].imported()(settings=RateLimitSettings())

    assert isinstance(guard, Guard)


def test_counting_in_redis_connects_later() -> None:
    """The guard is made without a server."""
    pytest.importorskip("redis", reason="needs the extra redis")

    assert isinstance(plugin.redis_rate_limit_guard(SHARED, get_logger("test")), Guard)


def test_a_missing_extra_stops_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    """The limit must not vanish quietly: the error says what to install."""
    monkeypatch.setattr(plugin, "find_spec", lambda _name: None)

    with pytest.raises(ConfigurationError, match=r'pip install "arc-agents\[redis\]"'):
        plugin.redis_rate_limit_guard(SHARED, get_logger("test"))


@pytest.mark.parametrize(
    ("guard", "winner"),
    [
        ({}, None),
        ({"rate_limit_redis_url": "redis://127.0.0.1"}, None),
        ({"rate_limit_per_minute": 1}, "rate_limit"),
        ({"rate_limit_per_hour": 1}, "rate_limit"),
        ({"rate_limit_per_hour": 1, "rate_limit_redis_url": "redis://h"}, "redis_rate_limit"),
    ],
)
def test_the_settings_wire_one_guard_or_none(guard: dict[str, Any], winner: str | None) -> None:
    """Without a limit no guard counts, and never do two."""
    found = [name for name in wired(Guard, guard=guard).winners if "rate_limit" in name]

    assert found == ([winner] if winner else [])


def test_the_report_says_what_switches_it_on() -> None:
    """A user who misses the guard reads which setting it waits for."""
    reason = wired(Guard).reasons["rate_limit"]

    assert "setting guard.rate_limit_per_minute is set" in reason
