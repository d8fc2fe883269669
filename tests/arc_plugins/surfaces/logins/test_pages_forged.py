"""Callbacks that no person has brought: forged, replayed, late, of another user or browser."""

import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import httpx2
import pytest

from arc_core import Credential, Owner
from tests.arc_plugins.credentials.keeping.kept import make_key, renewable
from tests.arc_plugins.surfaces.logins.served_logins import Begun, Place, browser, serving_logins

pytestmark = pytest.mark.slow

SITUATIONS = ("begun", "late", "put", "removed")
"""The names of the users, each of whom has begun a login that is in this state."""

_TABLES = ("arc_credentials", "arc_logins", "arc_begun_logins")


@dataclass(frozen=True)
class Forgery:
    """A callback, each part of which is `right`, missing or something else."""

    state: str
    code: str
    cookie: str
    issuer: str


def forgeries() -> Iterator[Forgery]:
    """All that lack the state, the browser or the issuer of what was begun."""
    parts = (
        ("right", "", "made up", "of bob"),
        ("right", "", "made up"),
        ("right", "", "made up", "of bob"),
        ("", "https://evil.example", "["),
    )
    for forgery in map(Forgery, *zip(*product(*parts), strict=True)):
        is_bobs = forgery.state == forgery.cookie == "of bob"
        is_anns = forgery.state == forgery.cookie == "right"
        if forgery.issuer or not (is_bobs or is_anns):
            yield forgery


def kept_in(file: Path) -> list[object]:
    """All rows."""
    with closing(sqlite3.connect(file)) as connection:
        return [
            connection.execute(f"SELECT * FROM {table} ORDER BY 1").fetchall() for table in _TABLES
        ]


async def send(
    place: Place, client: httpx2.AsyncClient, forgery: Forgery, *, right: Begun, bobs: Begun
) -> int:
    """Send a callback; the status of the answer."""
    answers = {"right": right.answer, "of bob": bobs.answer}
    cookies = {"right": right.cookie, "of bob": bobs.cookie}
    forged = f"__Host-arc-login={'a' * 43}" if forgery.cookie else ""
    query = {
        "state": answers.get(forgery.state, {}).get("state", forgery.state),
        "code": answers.get(forgery.code, {}).get("code", forgery.code),
        "iss": forgery.issuer,
    }
    query = {name: value for name, value in query.items() if value}
    headers = {"cookie": cookies.get(forgery.cookie, forged)}
    return (await client.get(place.callback(query), headers=headers)).status_code


async def send_all(
    place: Place,
    client: httpx2.AsyncClient,
    begun: Mapping[str, Begun],
    *,
    of: Iterable[str],
    forgeries: Iterable[Forgery],
) -> list[int]:
    """Send each callback for each login; the status of the answers."""
    every, bobs = list(forgeries), begun["bob"]
    return [
        await send(place, client, forgery, right=begun[name], bobs=bobs)
        for name in of
        for forgery in every
    ]


async def bring_about(place: Place, client: httpx2.AsyncClient, file: Path) -> dict[str, Begun]:
    """Begin a login for each user, and let it come to what the user is called."""
    owners = {name: Owner(user_id=name, tenant_id="acme") for name in (*SITUATIONS, "bob")}
    begun = {name: await place.begin(client, owner) for name, owner in owners.items()}
    ended, cookie = place.callback(begun["removed"].answer), {"cookie": begun["removed"].cookie}
    assert (await client.get(ended, headers=cookie)).status_code == 200
    await place.credentials.remove(owners["removed"])
    await place.page(owners["removed"])  # is asked to log in again
    await place.credentials.put(owners["put"], "github", renewable())
    with closing(sqlite3.connect(file)) as connection, connection:
        late = "UPDATE arc_begun_logins SET expires_at = 1 WHERE owner LIKE '%late%'"
        assert connection.execute(late).rowcount == 1
    return begun


async def test_no_forged_callback_changes_anything(tmp_path: Path) -> None:
    """Not in the database, nor in a run; what was begun is ended by its own browser afterwards."""
    file, users = tmp_path / "c.db", ("begun", "late", "bob")
    kept: dict[str, Any] = {"backend": "sql", "url": f"sqlite:///{file}", "key": make_key()}
    async with serving_logins(**kept) as place, browser() as client:
        begun = await bring_about(place, client, file)
        for user in users:
            await place.app.execute("Act", user_id=user, tenant_id="acme")
        before, waiting = kept_in(file), await place.app.waiting()
        tried = await send_all(place, client, begun, of=SITUATIONS, forgeries=forgeries())
        after, still = kept_in(file), await place.app.waiting()
        true = Forgery(state="right", code="right", cookie="right", issuer="")
        ended = await send_all(place, client, begun, of=begun, forgeries=[true])
        found = await place.credentials.get(Owner(user_id="begun", tenant_id="acme"), "github")

    assert len(tried) >= 500
    assert set(tried) == {400}
    assert after == before
    assert still == waiting
    assert [each.user_id for each in waiting] == list(users)
    assert ended == [200, 400, 400, 400, 200]
    assert isinstance(found, Credential)
