"""Of the tokens of many people, none gets out: not in logs, events, results, or databases."""

from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from arc_autoconfig import Application, ArcSettings
from arc_core import Credential, Owner, ToolCall, ToolContext, tool
from arc_core.testing import ScriptedChatModel
from arc_core.testing.vendor_server import Reply, VendorServer
from tests.arc_plugins.credentials.keeping.kept import (
    KEY,
    AuthorizationServer,
    in_database,
    services_at,
)

pytest.importorskip("croniter", reason="needs the extra durable")

USERS = 12
ALL = [f"user-{number}" for number in range(USERS)]


@tool
async def act(context: ToolContext) -> object:
    """Act for the user, once with a token that the service refuses."""
    found = await context.credential("github")
    return await context.credential("github", rejected=found)


def settings_for(folder: Path, address: str) -> ArcSettings:
    """Everything that writes something down is switched on."""
    return ArcSettings(
        _isolated=True,
        credentials={"backend": "sql", "key": KEY},
        conversation={"url": f"sqlite:///{folder}/talk.db"},
        services={
            "github": {
                "authorize_url": f"{address}/authorize",
                "token_url": f"{address}/token",
                "client_id": "arc",
            }
        },
        durable={"enabled": True, "url": f"sqlite:///{folder}/runs.db"},
        audit={"enabled": True, "include_text": True},
        logging={"level": "DEBUG", "format": "json"},
    )


async def ask_as(app: Application, user: str) -> str:
    """All events of a run, as text."""
    seen = []
    async with app.stream("Act", user_id=user, session_id=user) as stream:
        async for event in stream.events():
            seen.append(repr(event))
        seen.append(repr(await stream.result()))
    return "".join(seen)


def read_all(folder: Path) -> str:
    """The bytes of all files in a folder, as text."""
    return "".join(each.read_bytes().decode("latin-1") for each in folder.iterdir())


async def test_no_token_is_written_down(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Neither by a tool that even returns its credential, nor by one that fails."""
    server = AuthorizationServer(refresh_tokens={f"refresh-of-{user}" for user in ALL[1:]})
    says: list[Any] = [[ToolCall("1", "act", "{}")], "Done."] * USERS
    lie = Reply.json({"access_token": "token-of-no-user"}, status=400)
    async with VendorServer(lie, *[server.answer] * USERS) as vendor:
        settings = settings_for(tmp_path, vendor.url)
        await (await in_database(tmp_path / "talk.db", services_at(vendor.url))).upgrade_schema()
        app = Application(settings, register=[act, ScriptedChatModel(says)], plugins=False)
        await app.container.conversation_store().upgrade_schema()
        async with app:
            for user in ALL:
                kept = Credential(
                    token=SecretStr(f"token-of-{user}"),
                    refresh_token=SecretStr(f"refresh-of-{user}"),
                )
                await app.credentials.put(Owner(user_id=user), "github", kept)
            events = [await ask_as(app, user) for user in ALL]

    shown = "".join([*events, *capfd.readouterr(), read_all(tmp_path)])
    assert "user-7" in shown
    assert len(server.tokens) == 2 * (USERS - 1)
    assert [each for each in ("token-of-", "refresh-of-", *server.tokens) if each in shown] == []
