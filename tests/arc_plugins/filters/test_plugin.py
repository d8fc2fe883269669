"""The filters that settings switch on."""

from arc_core import ResponseFilter
from arc_plugins.filters import LengthFilterSettings
from arc_plugins.filters.plugin import arc_register
from tests.arc_plugins.registrations import RecordingRegistry


def test_a_limit_brings_its_filter() -> None:
    """Without `response.max_length` no answer passes a filter of Arc's."""
    registry = RecordingRegistry()
    arc_register(registry)
    [registration] = registry.registrations.values()

    made = registration.imported()(LengthFilterSettings(max_length=100))

    assert str(registration.condition) == "setting response.max_length is set"
    assert isinstance(made, ResponseFilter)
    assert made.order == 10
