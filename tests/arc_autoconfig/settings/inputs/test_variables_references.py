"""Variables in the values of a file."""

from pathlib import Path

import pytest

from arc_autoconfig.errors import SettingsError
from arc_autoconfig.settings import ArcSettings
from arc_autoconfig.settings.inputs.variables import names_in, resolve


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("${NAME}", "x"),
        ("a${NAME}b${NAME}", "axbx"),
        ("${NAME:-other}", "x"),
        ("${MISSING:-other}", "other"),
        ("${MISSING:-}", ""),
        ("${BLANK:-other}", "other"),
        ("${BLANK}", ""),
        ("$${NAME}", "${NAME}"),
        ("$NAME costs $5", "$NAME costs $5"),
    ],
)
def test_a_reference_stands_for_its_variable(text: str, expected: str) -> None:
    """With a default for what is not set or blank; `$${` is not a reference."""
    assert resolve(text, {"NAME": "x", "BLANK": ""}, "here") == expected


def test_what_a_variable_holds_is_not_searched_again() -> None:
    """A value from outside cannot name further variables."""
    assert resolve("${NAME}", {"NAME": "${SECRET}", "SECRET": "s"}, "here") == "${SECRET}"


@pytest.mark.parametrize("text", ["${", "${}", "${1X}", "${A B}", "${NAME-x}", "a ${NAME"])
def test_a_reference_that_is_written_wrongly_is_an_error(text: str) -> None:
    """With its place and both ways to write it."""
    with pytest.raises(SettingsError, match=r"written wrongly \(here\)") as raised:
        resolve(text, {"NAME": "x"}, "here")

    assert "${NAME:-default}" in raised.value.remedy


def test_a_variable_that_is_not_set_is_an_error_with_file_and_line() -> None:
    """And with the way to give it a default."""
    Path("arc.toml").write_text('[llm]\nmodel = "${MY_MODEL}"\n', "utf-8")

    with pytest.raises(SettingsError, match=r"MY_MODEL is not set \(arc\.toml, line 2\)") as raised:
        ArcSettings()

    assert "${MY_MODEL:-default}" in raised.value.remedy


def test_values_become_what_the_setting_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """A number, a switch, a list, a table, each given as text; in lists and tables, too."""
    monkeypatch.setenv("ONE", "1")
    monkeypatch.setenv("NAMES", "a, b")
    monkeypatch.setenv("WORDS", '{"get_weather": ["rain"]}')
    Path("arc.toml").write_text(
        'max-tool-calls = "${ONE}"\n[guard]\nenabled = "${OFF:-false}"\n'
        '[plugins]\ndisabled = "${NAMES}"\nrequired = ["${ONE}", "c"]\n'
        '[tools]\nkeywords = "${WORDS}"\n',
        "utf-8",
    )

    settings = ArcSettings()

    assert (settings.max_tool_calls, settings.guard.enabled) == (1, False)
    assert settings.plugins.disabled == ("a", "b")
    assert settings.plugins.required == ("1", "c")
    assert settings.tools.keywords == {"get_weather": ("rain",)}


def test_lines_of_the_env_file_may_be_named() -> None:
    """A password stands there, and not in the file that is shared."""
    Path(".env").write_text("DB_PASSWORD=hunter2\n", "utf-8")
    Path("arc.toml").write_text('[webhook]\nsecret = "${DB_PASSWORD}"\n', "utf-8")

    settings = ArcSettings()

    assert settings.webhook.secret.get_secret_value() == "hunter2"
    assert settings.origin_of("webhook.secret") == "arc.toml, line 2, from DB_PASSWORD"


def test_a_reference_to_a_credential_is_left_to_the_component() -> None:
    """It is not a variable: each run has another value."""
    value = {"TOKEN": "${credential:github}", "HOME": "${HOME}"}

    assert resolve(value, {"HOME": "/home"}, "arc.toml") == {**value, "HOME": "/home"}
    assert names_in(value) == ("HOME",)
