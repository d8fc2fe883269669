"""Conditions that cannot be judged are refused when a component is registered."""

from typing import cast

import pytest

from arc_autoconfig.declare.registry import find_condition_problem
from arc_autoconfig.settings.model import KnownSettings
from arc_core import Condition
from arc_core.conditions import OnSetting, on_env, on_package, on_setting


class Exiting:
    """A value that cannot be compared."""

    def __eq__(self, other: object) -> bool:
        raise SystemExit(3)

    __hash__ = None  # type: ignore[assignment]


class OwnSetting(OnSetting):
    """A condition that Arc does not know."""


@pytest.mark.parametrize(
    ("condition", "flaw"),
    [
        (on_setting("cache.backend", Exiting()), "is compared with"),
        (on_setting(cast("str", 5)), "is not a text"),
        (on_env(cast("str", 5)), "is not a text"),
        (on_package(cast("str", 5)), "is not a text"),
        (on_env("KEY") & OwnSetting("cache.backend"), "compose those of arc_core.conditions"),
        (on_env("KEY") & cast("Condition", "KEY"), "compose those of arc_core.conditions"),
    ],
    ids=["foreign value", "setting", "variable", "package", "foreign condition", "no condition"],
)
def test_a_condition_that_could_run_foreign_code_is_refused(
    condition: Condition, flaw: str
) -> None:
    """Conditions are plain values: deciding runs no code of a plugin, which might exit."""
    assert flaw in str(find_condition_problem(condition, KnownSettings()))
