"""The settings file that `--config` or `ARC_CONFIG` names."""

from pathlib import Path

import pytest

from arc_autoconfig.errors import SettingsError
from arc_autoconfig.settings import ArcSettings
from arc_autoconfig.settings.inputs.folder import SettingsFolder
from arc_autoconfig.settings.sources import FileState, list_files


def test_the_named_file_is_read_in_the_place_of_the_folders(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """`.env` is read all the same."""
    Path("arc.toml").write_text("max-tool-calls = 1\n", "utf-8")
    Path("other.toml").write_text("max-tool-calls = 2\n", "utf-8")
    Path(".env").write_text("ARC_LLM__MODEL=m\n", "utf-8")
    monkeypatch.setenv("ARC_CONFIG", "other.toml")

    settings = ArcSettings()

    assert (settings.max_tool_calls, settings.llm.model) == (2, "m")
    assert settings.origin_of("max_tool_calls") == "other.toml, line 1"


def test_a_pyproject_may_be_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its table of Arc's counts, as in the working directory."""
    Path("sub").mkdir()
    Path("sub/pyproject.toml").write_text("[tool.arc]\nmax-tool-calls = 4\n", "utf-8")
    monkeypatch.setenv("ARC_CONFIG", "sub/pyproject.toml")

    assert ArcSettings().max_tool_calls == 4


def test_a_named_file_that_is_missing_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """Defaults would be a surprise."""
    monkeypatch.setenv("ARC_CONFIG", "nope.toml")

    with pytest.raises(SettingsError, match=r"nope\.toml does not exist") as raised:
        ArcSettings()

    assert "ARC_CONFIG" in raised.value.remedy


def test_the_env_file_cannot_name_it() -> None:
    """A folder would say which file of the user's is read."""
    Path(".env").write_text("ARC_CONFIG=other.toml\n", "utf-8")

    with pytest.raises(SettingsError, match=r"ARC_CONFIG in \.env has no effect"):
        ArcSettings()


def test_what_was_looked_for_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Each file with what became of it."""
    Path("pyproject.toml").write_text("[tool.other]\n", "utf-8")
    Path(".env").write_text("", "utf-8")

    found = {Path(each.path).name: each.state for each in list_files(ArcSettings().sources)}

    assert found == {
        "arc.toml": FileState.NOT_FOUND,
        "pyproject.toml": FileState.NO_SETTINGS,
        ".env": FileState.READ,
    }
    (tmp_path / "other.toml").write_text("", "utf-8")
    monkeypatch.setenv("ARC_CONFIG", "other.toml")
    assert list_files(ArcSettings().sources)[0].path == str(tmp_path / "other.toml")


@pytest.mark.parametrize(
    ("config", "is_trusted"),
    [
        ("work/arc.toml", False),
        ("work/sub/arc.toml", False),
        ("arc.toml", False),
        ("elsewhere/arc.toml", True),
        ("work/link.toml", False),
        ("elsewhere/link.toml", False),
    ],
)
def test_only_a_file_that_lies_apart_is_the_users_own(
    tmp_path: Path, *, config: str, is_trusted: bool
) -> None:
    """One that came with the folder, below, above or by a link, is not trusted for being named."""
    for folder in ("work/sub", "elsewhere"):
        (tmp_path / folder).mkdir(parents=True)
    for file in ("work/arc.toml", "work/sub/arc.toml", "arc.toml", "elsewhere/arc.toml"):
        (tmp_path / file).write_text("", "utf-8")
    (tmp_path / "work/link.toml").symlink_to(tmp_path / "elsewhere/arc.toml")
    (tmp_path / "elsewhere/link.toml").symlink_to(tmp_path / "work/arc.toml")

    read = SettingsFolder.read(tmp_path / "work", config=tmp_path / config)

    assert read.is_config_trusted is is_trusted
