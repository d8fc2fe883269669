"""The setting decides which selector is wired."""

import pytest

from arc_core import ToolSelector
from arc_core.settings import ToolSelection
from arc_plugins.selectors import plugin
from tests.arc_plugins.registrations import RecordingRegistry


@pytest.mark.parametrize("selection", ToolSelection)
def test_each_value_has_a_selector(selection: ToolSelection) -> None:
    """Every value of `tools.selector` names one, which can be imported."""
    registry = RecordingRegistry()

    plugin.arc_register(registry)

    registration = registry.registrations[selection.value]
    assert registration.interface is ToolSelector
    assert callable(registration.imported())
    assert f"'{selection.value}'" in str(registration.condition)
