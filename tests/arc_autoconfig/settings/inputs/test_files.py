"""Settings in a TOML file."""

from pathlib import Path

import pytest

from arc_autoconfig.errors import SettingsError
from arc_autoconfig.settings import ArcSettings
from arc_autoconfig.settings.inputs.folder import SettingsFolder


def _write(name: str, text: str) -> None:
    Path(name).write_text(text, "utf-8")


@pytest.mark.parametrize("key", ["max-output-tokens", "max_output_tokens"])
@pytest.mark.parametrize(
    ("file", "table", "line"), [("arc.toml", "llm", 3), ("pyproject.toml", "tool.arc.llm", 3)]
)
def test_either_file_and_either_spelling(*, file: str, table: str, line: int, key: str) -> None:
    """The origin has file and line."""
    _write(file, f"# mine\n[{table}]\n{key} = 100\n")

    settings = ArcSettings()

    assert settings.llm.max_output_tokens == 100
    assert settings.origin_of("llm.max_output_tokens") == f"{file}, line {line}"


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("arc.toml", "max-tool-calls = 3\n"),
        ("pyproject.toml", "[tool.arc]\nmax-tool-calls = 3\n"),
        (".env", "ARC_MAX_TOOL_CALLS=3\n"),
    ],
)
def test_a_byte_order_mark_is_not_part_of_the_text(*, file: str, text: str) -> None:
    """Editors of Windows write one."""
    Path(file).write_text(text, "utf-8-sig")

    assert ArcSettings().max_tool_calls == 3


def test_lines_are_found_however_a_key_is_written() -> None:
    """Dotted keys and inline tables too; the latter by the line they stand in."""
    _write("arc.toml", 'llm.model = "m"\n\nretry = { max_attempts = 2 }\n"max-tool-calls" = 3\n')

    settings = ArcSettings()

    assert settings.origin_of("llm.model") == "arc.toml, line 1"
    assert settings.origin_of("retry.max_attempts") == "arc.toml, line 3"
    assert settings.origin_of("max_tool_calls") == "arc.toml, line 4"


def test_names_of_the_users_keep_their_hyphens() -> None:
    """Only Arc's own keys may be spelt either way."""
    _write(
        "arc.toml", '[plugins.settings.acme-pii]\nmax-hits = 3\n[components]\nchat-model = "m"\n'
    )

    settings = ArcSettings()

    assert settings.origin_of("plugins.settings.acme-pii.max-hits") == "arc.toml, line 2"
    assert settings.plugins.settings == {"acme-pii": {"max-hits": 3}}
    assert settings.components.chosen == {"chat_model": "m"}


def test_a_pyproject_without_arcs_table_is_left_alone() -> None:
    """Most projects have one."""
    _write("pyproject.toml", "[tool.other]\nmax_tool_calls = 1\n")

    assert ArcSettings().origin_of("max_tool_calls") == "default"


def test_an_unknown_key_is_told_with_its_line() -> None:
    """And with the nearest known one."""
    _write("arc.toml", "[llm]\n\ntemprature = 1\n")

    with pytest.raises(SettingsError) as raised:
        ArcSettings()

    assert raised.value.evidence == ("llm.temprature (arc.toml, line 3) is not a setting of Arc's",)
    assert raised.value.remedy == "write llm.temperature"


def test_a_syntax_error_is_told_with_its_place() -> None:
    """The file, the line and the column."""
    _write("arc.toml", "[llm]\nmodel = \n")

    with pytest.raises(SettingsError, match=r"arc\.toml cannot be read") as raised:
        ArcSettings()

    assert "line 2" in raised.value.evidence[0]


@pytest.mark.parametrize("value", ["[" * 5_000, "1" * 5_000])
def test_a_value_that_cannot_be_read_is_an_error(value: str) -> None:
    """Too deep, or too many figures."""
    _write("pyproject.toml", f"[tool.arc]\nmax-tool-calls = {value}\n")

    with pytest.raises(SettingsError, match=r"pyproject\.toml cannot be read"):
        ArcSettings()

    assert SettingsFolder.read(Path.cwd()).digest  # for `arc trust`


def test_tables_without_end_are_an_error() -> None:
    """They can be parsed, and not be looked through."""
    _write("arc.toml", "[plugins.settings]\n" + "a." * 5_000 + "a = 1\n")

    with pytest.raises(SettingsError, match=r"arc\.toml is nested too deeply"):
        ArcSettings()


@pytest.mark.parametrize("text", ["tool = 3\n", "[tool]\nx = 1\n", ""])
def test_a_pyproject_of_another_shape_is_left_alone(text: str) -> None:
    """Whatever stands there, it is not Arc's to judge."""
    _write("pyproject.toml", text)

    assert ArcSettings().origin_of("max_tool_calls") == "default"


def test_a_table_that_is_none_is_refused() -> None:
    """The error names the file."""
    _write("pyproject.toml", "[tool]\narc = 3\n")

    with pytest.raises(SettingsError, match=r"\[tool\.arc\] in .*pyproject\.toml is not a table"):
        ArcSettings()


def test_two_files_are_refused() -> None:
    """Neither is silently without effect."""
    _write("arc.toml", "max_tool_calls = 1\n")
    _write("pyproject.toml", "[tool.arc]\nmax_tool_calls = 2\n")

    with pytest.raises(SettingsError, match="two files hold Arc's settings"):
        ArcSettings()


def test_a_key_in_both_spellings_is_refused() -> None:
    """Which one counts could not be told."""
    _write("arc.toml", "max-tool-calls = 1\nmax_tool_calls = 2\n")

    with pytest.raises(SettingsError, match="max_tool_calls is set twice"):
        ArcSettings()
