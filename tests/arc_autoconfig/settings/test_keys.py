"""Walking the settings along dotted keys."""

import pytest

from arc_autoconfig.settings import ArcSettings, PluginsSettings
from arc_autoconfig.settings.keys import section_at, split_key, unknown_part
from arc_core.settings import LlmSettings


def test_sections_are_found() -> None:
    """A path to a section gives its class, any other path nothing."""
    assert section_at(ArcSettings, ()) is ArcSettings
    assert section_at(ArcSettings, ("llm",)) is LlmSettings
    assert section_at(ArcSettings, ("plugins",)) is PluginsSettings
    assert section_at(ArcSettings, ("llm", "model")) is None
    assert section_at(ArcSettings, ("nothing",)) is None


@pytest.mark.parametrize(
    "key",
    [
        "llm",
        "llm.model",
        "max_tool_calls",
        "plugins.settings.acme.any.thing",
        "components.chat_model",
    ],
)
def test_known_keys_are_known(key: str) -> None:
    """Sections, settings, and everything below a table of names."""
    assert unknown_part(ArcSettings, split_key(key)) is None


@pytest.mark.parametrize(
    ("key", "part", "meant"),
    [
        ("lm.model", "lm", "llm"),
        ("llm.modl", "llm.modl", "llm.model"),
        ("llm.xyzzy", "llm.xyzzy", None),
        ("max_tool_calls.x", "max_tool_calls.x", None),
        ("llm.model.x", "llm.model.x", None),
    ],
)
def test_the_first_unknown_part_is_found(key: str, part: str, meant: str | None) -> None:
    """With what was most likely meant, where something is near."""
    assert unknown_part(ArcSettings, split_key(key)) == (split_key(part), meant)
