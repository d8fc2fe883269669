"""Keys of the settings, and of a file."""

import os
from pathlib import Path

import pytest

from arc_autoconfig.settings.server_section import KnownKeys, ServerSettings
from arc_core.errors import ConfigurationError
from tests.serving import KEY

ANN, BOB = f"{KEY}-ann", f"{KEY}-bob"
SETTINGS = {"api_keys": [{"name": "app", "key": KEY}]}


def write(file: Path, *keys: tuple[str, str]) -> None:
    """Replace the file, as an editor or a mounted secret does."""
    text = "".join(f'[[api_keys]]\nname = "{name}"\nkey = "{key}"\n' for name, key in keys)
    beside = file.with_suffix(".new")
    beside.write_text(text)
    os.replace(beside, file)


def keys_of(file: Path) -> KnownKeys:
    return KnownKeys(ServerSettings.model_validate({"api_keys_file": file, **SETTINGS}))


def test_keys_are_taken_up_and_away_without_a_restart(tmp_path: Path) -> None:
    """Those of the settings stay."""
    file = tmp_path / "keys.toml"
    write(file, ("ann", ANN))
    keys = keys_of(file)

    before = keys.find(ANN), keys.find(BOB), keys.find_by_name("ann")
    write(file, ("bob", BOB))

    assert [each and each.name for each in before] == ["ann", None, "ann"]
    assert keys.find(ANN) is keys.find_by_name("ann") is None
    assert (found := keys.find(BOB)) is not None
    assert found.name == "bob"
    assert (found := keys.find(KEY)) is not None
    assert found.name == "app"


BROKEN = {
    "gone": None,
    "not TOML": "[[api_keys",
    "nested too deeply": f"api_keys = {'[' * 5_000}",
    "a number too long": f"api_keys = {'1' * 5_000}",
    "not text": b"\xff\xfe",
    "unknown field": f'[[api_keys]]\nname = "bob"\nkey = "{BOB}"\ntenants = []',
    "short key": '[[api_keys]]\nname = "bob"\nkey = "hunter2"',
    "a variable": '[[api_keys]]\nname = "bob"\nkey = "${A_VARIABLE_NAME}"',
    "a name of the settings": f'[[api_keys]]\nname = "app"\nkey = "{BOB}"',
    "too large": "#" * 4_194_305,
}


@pytest.mark.parametrize("text", BROKEN.values(), ids=list(BROKEN))
def test_a_file_that_cannot_be_used(
    text: str | bytes | None, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """At the start it is an error; later the keys that were read last stay, and the log says so."""
    file = tmp_path / "keys.toml"
    write(file, ("ann", ANN))
    keys = keys_of(file)
    if text is None:
        file.unlink()
    else:
        file.write_bytes(text if isinstance(text, bytes) else text.encode())

    with pytest.raises(ConfigurationError) as caught:
        keys_of(file)
    found = [keys.find(ANN), keys.find(ANN)]

    assert None not in found
    [record] = caplog.records
    for told in (str(caught.value), str(vars(record))):
        assert "server.api_keys_file" in told
        assert BOB not in told
        assert "hunter2" not in told
    write(file, ("bob", BOB))
    assert keys.find(ANN) is None
