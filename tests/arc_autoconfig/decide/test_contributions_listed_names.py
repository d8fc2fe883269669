"""Names in a setting that lists contributions exist."""

import pytest

from arc_autoconfig.decide.contributions import check_listed_names
from arc_autoconfig.errors import UnknownNameError
from arc_core import Tool
from arc_core.components.extension_points import Contribution
from arc_core.conditions import Condition, on_env, on_setting
from tests.arc_autoconfig.offers import CONTRIBUTIONS, facts, offer

TOOLS = next(place for place in CONTRIBUTIONS if place.interface is Tool)


def _check(names: list[str] | None, *, condition: Condition) -> None:
    offers = [offer(Tool, "calculate", condition=condition), offer(Tool, "unlisted")]
    check_listed_names(TOOLS, offers, facts(tools={"builtin": names}))


@pytest.mark.parametrize("names", [None, [], ["calculate"]])
def test_known_names_pass(names: list[str] | None) -> None:
    """A name is known by a condition that asks about the setting, however it is composed."""
    _check(names, condition=on_setting("tools.builtin", "calculate") | ~on_env("OFF"))


@pytest.mark.parametrize("name", ["calculte", "unlisted"])
def test_an_unknown_name_is_an_error(name: str) -> None:
    """It says which setting, which name, and what there is; what cannot be listed does not help."""
    with pytest.raises(UnknownNameError, match=r"tools\.builtin names") as error:
        _check([name], condition=on_setting("tools.builtin", "calculate"))

    assert error.value.evidence == ("known names: calculate",)


def test_a_contribution_that_no_setting_lists_has_no_names_to_check() -> None:
    """Most contributions are not listed by a setting."""
    unlisted = Contribution("tools", Tool, "arc.tools")

    check_listed_names(unlisted, [], facts(tools={"builtin": ["anything"]}))
