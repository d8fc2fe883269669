"""The language of the messages decides which resolver is wired."""

import pytest

from arc_core import ErrorMessageResolver
from arc_plugins.messages import plugin
from tests.arc_plugins.registrations import RecordingRegistry


@pytest.mark.parametrize(("name", "language"), [("english", "en"), ("korean", "ko")])
def test_each_language_has_a_resolver(name: str, language: str) -> None:
    """A resolver takes part where `messages.language` is its own."""
    registry = RecordingRegistry()

    plugin.arc_register(registry)

    registration = registry.registrations[name]
    assert isinstance(registration.imported()(), ErrorMessageResolver)
    assert f"'{language}'" in str(registration.condition)
