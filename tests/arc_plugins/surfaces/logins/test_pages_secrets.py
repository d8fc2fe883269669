"""Nothing that is kept, logged, traced, told or answered shows a token."""

import logging
import traceback
from collections.abc import Iterable
from typing import Any

import httpx2
import psycopg
import pytest
from sqlalchemy import make_url

pytest.importorskip("opentelemetry.sdk", reason="needs the extra otel")
pytest.importorskip("croniter", reason="needs the extra durable")

from arc_core import (
    ChatRequest,
    Credential,
    CredentialError,
    Owner,
    ToolCall,
    ToolContext,
    ToolResultMessage,
    tool,
)
from tests.arc_plugins.credentials.keeping.kept import make_key, renewable
from tests.arc_plugins.journals.sql.databases import runs_at
from tests.arc_plugins.metrics.open_telemetry.telemetry import Telemetry
from tests.arc_plugins.surfaces.logins.served_logins import (
    Place,
    browser,
    cookie_of,
    serving_logins,
)

pytestmark = pytest.mark.slow

_USERS, _RUNS = 500, 20
_OF_THE_BROWSER = ("httpx2", "httpcore2", "uvicorn", "asyncio")
_COLUMNS = "SELECT quote_ident(schemaname) || '.' || quote_ident(tablename) FROM pg_tables"


@tool
async def be_refused(context: ToolContext) -> str:
    """Act with a token that the service has revoked; a failure has the credential in its text."""
    found = await context.credential("github")
    renewed = await context.credential("github", rejected=found)
    raise CredentialError(f"cannot act with {found} nor with {renewed}", service="github")


def say(request: ChatRequest) -> list[ToolCall] | str:
    """The turn of the model."""
    is_done = isinstance(request.messages[-1], ToolResultMessage)
    return "Done." if is_done else [ToolCall("1", "be_refused", "{}")]


def dump(server: str, url: str) -> str:
    """All values in all tables of an application."""
    name = make_url(url).query["search_path"]
    with psycopg.connect(server) as connection:
        tables = connection.execute(f"{_COLUMNS} WHERE schemaname LIKE '{name}%'").fetchall()
        rows = [row for (each,) in tables for row in connection.execute(f"SELECT * FROM {each}")]
    return "\n".join(map(_text_of, (value for row in rows for value in row)))


def _text_of(value: object) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else str(value)


def lines_of(records: Iterable[logging.LogRecord]) -> str:
    """What the server has logged, with the texts of errors."""
    texts = [
        f"{vars(each)} {each.exc_info and traceback.format_exception(*each.exc_info)}"
        for each in records
        if not each.name.startswith(_OF_THE_BROWSER)
    ]
    return "\n".join(texts)


async def go_through(place: Place, client: httpx2.AsyncClient, user: str) -> list[str]:
    """A run whose token is refused, a login, and the end of the run; what all was answered."""
    owner = Owner(user_id=user)
    begun = await place.app.execute("Act", user_id=user)
    page = await client.get(await place.page(owner))
    button = await client.post(await place.page(owner))
    callback = place.callback(place.server.log_in(button.headers["location"]))
    ended = await client.get(callback, headers=cookie_of(button))
    async with place.app.attach(begun.run_id) as run:
        events = [repr(each) async for each in run.events()]
        result = await run.result()
    assert begun.waiting
    assert result.content == "Done."
    return [page.text, button.text, ended.text, repr(begun), repr(result), *events]


async def put_all(place: Place) -> list[str]:
    """Keep a credential of each user; their secrets."""
    secrets: list[str] = []
    for number in range(_USERS):
        secrets += [f"token-{number}-of", f"refresh-{number}-of"]
        credential = renewable(secrets[-2], refresh=secrets[-1])
        await place.credentials.put(Owner(user_id=f"user-{number}"), "github", credential)
    return secrets


def settings_at(url: str) -> dict[str, Any]:
    """The settings of an application that keeps all in a database, and writes all that it does."""
    durable = {"enabled": True, "url": url, "work": True}
    sections = {"durable": durable, "audit": {"enabled": True, "include_text": True}}
    return {"sections": sections, "backend": "sql", "url": url, "key": make_key()}


async def test_a_thousand_tokens_stand_nowhere(
    postgres: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Of credentials that are put, refused, renewed and logged in for, in runs that are kept."""
    caplog.set_level(logging.DEBUG)
    telemetry = Telemetry(include_text=True)
    with runs_at(postgres) as url:
        parts = (be_refused, telemetry.hook())
        async with (
            serving_logins(*parts, says=[say] * 99, **settings_at(url)) as place,
            browser() as client,
        ):
            secrets = await put_all(place)
            answers = [await go_through(place, client, f"user-{each}") for each in range(_RUNS)]
            found = await place.credentials.get(Owner(user_id="user-499"), "github")
            kept_text = dump(postgres, url)
    secrets += place.server.tokens
    spans = str([each.to_json() for each in telemetry.spans])
    texts = [kept_text, lines_of(caplog.records), str(answers), spans]

    assert isinstance(found, Credential)
    assert found.token.get_secret_value() == "token-499-of"
    assert [name for name in ("user-499", "be_refused") if name not in kept_text] == []
    assert all("be_refused" in each for each in texts[1:])
    assert len(secrets) >= 1000 + 2 * _RUNS
    assert [each for each in secrets for text in texts if each in text] == []
