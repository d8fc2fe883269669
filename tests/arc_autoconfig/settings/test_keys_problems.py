"""What is wrong with values, in words for people."""

import pytest
from pydantic import Field, SecretStr, ValidationError

from arc_autoconfig.errors import SettingsError
from arc_autoconfig.settings.keys import settings_error
from arc_core.settings import Section


class Server(Section):
    """Has a secret, a list and a table."""

    password: SecretStr = SecretStr("")
    ports: tuple[int, ...] = ()
    hosts: frozenset[str] = frozenset()
    routes: dict[str, int] = Field(default_factory=dict)
    size: int | None = None


def _error(**values: object) -> SettingsError:
    with pytest.raises(ValidationError) as raised:
        Server.model_validate(values)
    return settings_error(Server, raised.value, {key: f"file: {key}" for key in values})


@pytest.mark.parametrize(
    ("values", "key"),
    [
        ({"ports": ["x"]}, "ports"),
        ({"routes": {"a": "x"}}, "routes"),
        ({"size": "x"}, "size"),
        ({"password": 5}, "password"),
    ],
)
def test_the_key_is_that_of_the_setting(values: dict[str, object], key: str) -> None:
    """Not that of an item or of a member of a union inside it."""
    (evidence,) = _error(**values).evidence

    assert evidence.startswith(f"{key} (file: {key}): ")


def test_values_are_never_shown() -> None:
    """A wrong value may be a secret in the wrong place."""
    error = _error(size="hunter2", passwort="hunter2", ports="hunter2")

    assert "hunter2" not in str(error)


def test_many_problems_are_counted_and_some_are_shown() -> None:
    """An error stays below ten lines."""
    error = _error(**{f"unknown_{number}": 1 for number in range(7)})

    assert error.description == "7 settings are wrong"
    assert error.evidence[-1] == "and 3 more"
    assert len(str(error).splitlines()) < 10


class Routes(Section):
    """Has a table of sections."""

    servers: dict[str, Server] = Field(default_factory=dict)


@pytest.mark.parametrize(
    ("table", "evidence", "remedy"),
    [
        ({"size": "x"}, "servers.a.size (default): Input should be", "correct the value"),
        ({"sise": 1}, "servers.a.sise (default) is not a setting", "write servers.a.size"),
        ({"zzz": 1}, "servers.a.zzz (default) is not a setting", "remove it"),
        (5, "servers.a (default): Input should be", "correct the value"),
    ],
)
def test_the_key_of_a_section_in_a_table_is_told_whole(
    table: object, evidence: str, remedy: str
) -> None:
    """With what was meant by one that does not exist."""
    with pytest.raises(ValidationError) as raised:
        Routes.model_validate({"servers": {"a": table}})

    error = settings_error(Routes, raised.value, {})

    assert error.evidence[0].startswith(evidence)
    assert error.remedy.startswith(remedy)


@pytest.mark.parametrize(
    ("values", "key"), [({"ports": "hunter2"}, "ports"), ({"hosts": "hunter2"}, "hosts")]
)
def test_a_text_alone_is_told_to_be_a_list(values: dict[str, object], key: str) -> None:
    """In the words of settings; the text is not shown, since it may be a secret."""
    error = _error(**values)

    assert error.evidence == (f"{key} (file: {key}) is a text alone, not a list",)
    assert error.remedy == f'write {key} = ["…"]'


def test_a_text_that_cannot_be_written_is_told_in_words() -> None:
    """Half of a surrogate pair, which some checks cannot encode; Python's words are not shown."""
    with pytest.raises(UnicodeEncodeError) as raised:
        "\ud800".encode()

    text = str(settings_error(Server, raised.value, {}))

    assert "a text in them is not Unicode" in text
    assert "codec" not in text
