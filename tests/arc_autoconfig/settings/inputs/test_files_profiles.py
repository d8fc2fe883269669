"""Profiles: tables that are laid over the rest of a settings file."""

from pathlib import Path

import pytest

from arc_autoconfig.errors import SettingsError
from arc_autoconfig.settings import ArcSettings

FILE = """
max-tool-calls = 1

[llm]
model = "small"
temperature = 0

[profiles.prod.llm]
model = "large"

[profiles.prod]
max-tool-calls = 2

[profiles.eu]
max_tool_calls = 3
"""


@pytest.fixture(autouse=True)
def _file() -> None:
    Path("arc.toml").write_text(FILE, "utf-8")


def test_without_a_profile_its_table_has_no_effect() -> None:
    """It is not a setting either."""
    settings = ArcSettings()

    assert (settings.llm.model, settings.max_tool_calls) == ("small", 1)
    assert settings.active_profiles == ()


def test_a_profile_is_laid_over_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    """Key by key, with its line and name as the origin."""
    monkeypatch.setenv("ARC_PROFILE", "prod")

    settings = ArcSettings()

    assert (settings.llm.model, settings.llm.temperature) == ("large", 0)
    assert settings.origin_of("llm.model") == "arc.toml, line 9 (profile prod)"
    assert settings.origin_of("llm.temperature") == "arc.toml, line 6"


@pytest.mark.parametrize(("profiles", "calls"), [("prod,eu", 3), ("eu, prod", 2), (" ", 1)])
def test_of_several_profiles_the_later_wins(
    monkeypatch: pytest.MonkeyPatch, *, profiles: str, calls: int
) -> None:
    """In the order in which the variable names them."""
    monkeypatch.setenv("ARC_PROFILE", profiles)

    assert ArcSettings().max_tool_calls == calls


def test_variables_win_over_profiles(monkeypatch: pytest.MonkeyPatch) -> None:
    """And so does everything else that wins over the file."""
    monkeypatch.setenv("ARC_PROFILE", "prod")
    monkeypatch.setenv("ARC_MAX_TOOL_CALLS", "7")

    assert ArcSettings().max_tool_calls == 7


def test_a_profile_may_be_named_in_the_env_file(monkeypatch: pytest.MonkeyPatch) -> None:
    """The environment wins over it."""
    Path(".env").write_text("ARC_PROFILE=prod\n", "utf-8")

    assert ArcSettings().active_profiles == ("prod",)
    monkeypatch.setenv("ARC_PROFILE", "eu")
    assert ArcSettings().active_profiles == ("eu",)


def test_a_pyproject_has_profiles_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """Below its table of Arc's."""
    Path("arc.toml").unlink()
    Path("pyproject.toml").write_text("[tool.arc.profiles.prod]\nmax-tool-calls = 5\n", "utf-8")
    monkeypatch.setenv("ARC_PROFILE", "prod")

    settings = ArcSettings()

    assert settings.max_tool_calls == 5
    assert settings.origin_of("max_tool_calls") == "pyproject.toml, line 2 (profile prod)"


@pytest.mark.parametrize(
    ("name", "remedy"),
    [("prd", "write 'prod'"), ("xyzzy", "add [profiles.xyzzy] to the settings file")],
)
def test_an_unknown_profile_is_an_error(
    monkeypatch: pytest.MonkeyPatch, *, name: str, remedy: str
) -> None:
    """With those that exist, and the nearest name."""
    monkeypatch.setenv("ARC_PROFILE", name)

    with pytest.raises(SettingsError, match=f"names '{name}'") as raised:
        ArcSettings()

    assert raised.value.evidence == ("profiles in arc.toml: prod, eu",)
    assert raised.value.remedy == remedy


def test_a_misspelt_key_shows_before_its_profile_is_active() -> None:
    """It is found on the desk, and not in production."""
    Path("arc.toml").write_text("[profiles.prod.llm]\nmodle = 1\n", "utf-8")

    with pytest.raises(SettingsError, match=r"profiles\.prod\.llm\.modle \(arc\.toml, line 2\)"):
        ArcSettings()


@pytest.mark.parametrize("text", ["profiles = 3\n", "[profiles]\nprod = 3\n"])
def test_profiles_that_are_not_tables_are_refused(text: str) -> None:
    """With the line."""
    Path("arc.toml").write_text(text, "utf-8")

    with pytest.raises(SettingsError, match=r"profiles is not a table of tables \(arc\.toml, line"):
        ArcSettings()
