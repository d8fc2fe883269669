"""`arc credentials`: list, remove and rotate, and never a secret."""

import asyncio
import base64
import json
import secrets
from pathlib import Path

import pytest
from pydantic import SecretStr

from arc_autoconfig import Application, ArcSettings
from arc_core import Credential, Owner
from tests.arc_autoconfig.cli.invoking import invoke

pytest.importorskip("cryptography", reason="needs the extra credentials")

OLD, NEW = (base64.b64encode(secrets.token_bytes(32)).decode() for _ in range(2))
TOKEN = "the-token-of-ann"


def options(folder: Path, *keys: str) -> tuple[str, ...]:
    """Options that keep credentials in a file."""
    values = (
        "credentials.backend=sql",
        f"credentials.url=sqlite:///{folder}/credentials.db",
        f"credentials.key={keys[0] if len(keys) == 1 else json.dumps(keys)}",
    )
    return tuple(part for value in values for part in ("--set", value))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """With a credential of ann and one of bob, under the old key."""
    assert invoke("db", "upgrade", *options(tmp_path, OLD)).exit_code == 0
    url = f"sqlite:///{tmp_path}/credentials.db"
    settings = ArcSettings(
        _isolated=True,
        llm={"provider": "offline"},
        credentials={"backend": "sql", "url": url, "key": OLD},
    )

    async def put() -> None:
        credential = Credential(token=SecretStr(TOKEN), scopes=("read",))
        async with Application(settings, plugins=False) as app:
            await app.credentials.put(Owner(user_id="ann", tenant_id="acme"), "github", credential)
            await app.credentials.put(Owner(user_id="bob"), "github", credential)

    with asyncio.Runner() as runner:
        runner.run(put())
    return tmp_path


def test_a_list_shows_owners_and_no_secrets(folder: Path) -> None:
    """In a table and as JSON."""
    table = invoke("credentials", "list", *options(folder, OLD))
    listed = invoke("credentials", "list", "--json", *options(folder, OLD))

    assert "ann" in table.stdout
    assert [each["user_id"] for each in json.loads(listed.stdout)] == ["bob", "ann"]
    assert TOKEN not in f"{table.output}{listed.output}"


def test_what_is_removed_is_gone(folder: Path) -> None:
    """Of this owner alone."""
    first = invoke(
        "credentials", "remove", "--user", "ann", "--tenant", "acme", *options(folder, OLD)
    )
    again = invoke("credentials", "remove", "github", "--user", "ann", *options(folder, OLD))
    left = invoke("credentials", "list", "--json", *options(folder, OLD))

    assert first.stdout == "1 credential was removed.\n"
    assert again.stdout == "0 credentials were removed.\n"
    assert [each["user_id"] for each in json.loads(left.stdout)] == ["bob"]


def test_a_credential_is_removed_without_its_key(folder: Path) -> None:
    """Of one user, and then of all whose key is lost; those that can be read stay."""
    lost = options(folder, NEW)
    of_one = invoke("credentials", "remove", "--user", "bob", "--json", *lost)
    left = invoke("credentials", "list", "--json", *options(folder, OLD))
    of_none = invoke("credentials", "remove", "--unreadable", *options(folder, OLD))
    of_all = invoke("credentials", "remove", "--unreadable", *lost)
    listed = invoke("credentials", "list", "--json", *lost)

    assert json.loads(of_one.stdout) == {"count": 1}
    assert [each["user_id"] for each in json.loads(left.stdout)] == ["ann"]
    assert of_none.stdout == "0 credentials were removed.\n"
    assert of_all.stdout == "1 credential was removed.\n"
    assert json.loads(listed.stdout) == []


@pytest.mark.parametrize("whose", [(), ("--user", "ann", "--unreadable"), ("--tenant", "acme")])
def test_it_has_to_be_said_whose_credentials_are_removed(
    folder: Path, whose: tuple[str, ...]
) -> None:
    """Nothing is removed by mistake."""
    refused = invoke("credentials", "remove", *whose, *options(folder, OLD))
    left = invoke("credentials", "list", "--json", *options(folder, OLD))

    assert refused.exit_code == 2
    assert "--unreadable" in refused.stderr
    assert len(json.loads(left.stdout)) == 2


def test_keys_are_rotated(folder: Path) -> None:
    """Afterwards the old key is not needed, and before it is an error to leave it out."""
    early = invoke("credentials", "list", *options(folder, NEW))
    rotated = invoke("credentials", "rotate", *options(folder, NEW, OLD))
    late = invoke("credentials", "list", "--json", *options(folder, NEW))

    assert early.exit_code == 2
    assert "credentials.key does not have the key of 2 credentials" in early.stderr
    assert "`arc credentials remove --unreadable`" in early.stderr
    assert rotated.stdout == "2 credentials were encrypted anew.\n"
    assert len(json.loads(late.stdout)) == 2


def test_without_a_backend_it_says_what_to_set() -> None:
    """Nothing keeps credentials then."""
    result = invoke("credentials", "list")

    assert result.exit_code == 2
    assert "credentials.backend" in result.stderr
