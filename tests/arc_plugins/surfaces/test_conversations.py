"""The conversations of a user are listed, read and forgotten; those of others do not exist."""

import asyncio
from typing import Any
from urllib.parse import quote

import httpx2
import pytest

from arc_autoconfig import Application, ArcSettings
from arc_core import (
    Allowed,
    ConversationOwner,
    ConversationStore,
    Guard,
    GuardRequest,
    GuardResult,
    Message,
)
from arc_core.testing import ScriptedChatModel
from arc_plugins.conversations.in_memory_store import InMemoryConversationStore
from tests.serving import KEY, client_of, serving, serving_app

_ANN, _BOB = KEY, KEY * 2
_KEYS: dict[str, Any] = {
    "api_keys": [
        {"name": "ann", "key": _ANN, "users": ["ann"], "tenant": "acme"},
        {"name": "bob", "key": _BOB, "users": ["bob", "rob"], "tenant": "acme"},
    ]
}


async def talk(client: httpx2.AsyncClient, session_id: str, **said: str) -> None:
    """One question in a session."""
    body = {"user_prompt": f"What of {session_id}?", "session_id": session_id, **said}
    (await client.post("/api/runs", json=body)).raise_for_status()


async def test_conversations_come_back_the_newest_first() -> None:
    """With titles and times; no more than were asked for."""
    async with serving("one", "two", "three") as address, client_of(address) as client:
        for name in ("a", "b", "a"):
            await talk(client, name)
        found = (await client.get("/api/conversations")).json()["conversations"]
        one = (await client.get("/api/conversations", params={"limit": 1})).json()

    assert [(each["session_id"], each["title"]) for each in found] == [
        ("a", "What of a?"),
        ("b", "What of b?"),
    ]
    assert all(each["updated_at"].endswith("+00:00") for each in found)
    assert one["conversations"] == found[:1]


async def test_a_conversation_has_its_messages_in_arcs_forms() -> None:
    """Whatever it is called; no run goes on in it."""
    name = "tea/shop 안녕?#%2F"
    async with serving("It is well.") as address, client_of(address) as client:
        await talk(client, name)
        found = await client.get(f"/api/conversations/{quote(name, safe='')}")

    told = found.json()
    assert (told["session_id"], told["running"]) == (name, None)
    assert [each["type"] for each in told["messages"]] == ["user_message", "assistant_message"]
    assert told["messages"][1]["content"] == "It is well."


async def test_conversations_of_others_do_not_exist() -> None:
    """They are not listed, and reading or deleting them is answered as for none."""
    async with (
        serving("one", server=_KEYS) as address,
        client_of(address, _ANN) as ann,
        client_of(address, _BOB) as bob,
    ):
        await talk(ann, "s")
        asked = {"user_id": "bob"}
        listed = (await bob.get("/api/conversations", params=asked)).json()["conversations"]
        read = await bob.get("/api/conversations/s", params=asked)
        gone = await bob.delete("/api/conversations/s", params=asked)
        none = await bob.get("/api/conversations/none", params=asked)
        kept = (await ann.get("/api/conversations/s")).status_code

    assert (listed, kept) == ([], 200)
    assert [each.status_code for each in (read, gone, none)] == [404, 404, 404]
    assert read.json()["error"]["message"] == "There is no conversation 's'."


@pytest.mark.parametrize("query", [{}, {"user_id": "ann"}, {"user_id": "bob", "tenant_id": "b"}])
async def test_a_key_is_for_its_users_and_its_tenant(query: dict[str, str]) -> None:
    """One for several needs a name."""
    async with serving(server=_KEYS) as address, client_of(address, _BOB) as client:
        response = await client.get("/api/conversations", params=query)

    assert (response.status_code, response.json()["error"]["code"]) == (403, "not_permitted")


async def test_a_deleted_conversation_is_gone() -> None:
    """Deleting it again finds none."""
    async with serving("one") as address, client_of(address) as client:
        await talk(client, "s")
        codes = [(await client.delete("/api/conversations/s")).status_code for _ in range(2)]
        found = (await client.get("/api/conversations")).json()["conversations"]

    assert (codes, found) == ([204, 404], [])


async def test_tenants_have_conversations_of_their_own() -> None:
    """Of one id: each is read and forgotten without the other."""
    globex = KEY * 3
    keys = {"api_keys": [*_KEYS["api_keys"][:1], {"name": "g", "key": globex, "tenant": "globex"}]}
    async with (
        serving("one", "two", server=keys) as address,
        client_of(address, _ANN) as ann,
        client_of(address, globex) as other,
    ):
        asked = {"user_id": "ann"}
        await talk(ann, "s")
        await talk(other, "s", **asked)
        listed = (await other.get("/api/conversations", params=asked)).json()["conversations"]
        gone = await other.delete("/api/conversations/s", params=asked)
        left = [
            (await ann.get("/api/conversations/s")).status_code,
            (await other.get("/api/conversations/s", params=asked)).status_code,
        ]

    assert (len(listed), gone.status_code) == (1, 204)
    assert left == [200, 404]


async def test_titles_are_searched_for_all_words() -> None:
    """In any order and case; so many as were asked for."""
    async with serving("a", "b", "c") as address, client_of(address) as client:
        for name in ("blue mug", "blue tea", "red mug"):
            await talk(client, name)
        found = {}
        for words in ("MUG", "mug blue", "mug tea", " "):
            answer = await client.get("/api/conversations", params={"search": words, "limit": 2})
            found[words] = [each["session_id"] for each in answer.json()["conversations"]]

    assert found == {
        "MUG": ["red mug", "blue mug"],
        "mug blue": ["blue mug"],
        "mug tea": [],
        " ": ["red mug", "blue tea"],
    }


async def test_a_branch_begins_as_another_conversation_did() -> None:
    """With so many of its turns; the other stays as it is."""
    path = "/api/conversations/s/branches"
    async with serving("one", "two", "three") as address, client_of(address) as client:
        for text in ("first", "second", "third"):
            await client.post("/api/chat", json={"message": text, "session_id": "s"})
        made = await client.post(path, json={"session_id": "b/1", "turns": 2})
        messages = [
            (await client.get(f"/api/conversations/{name}")).json()["messages"]
            for name in ("s", "b%2F1")
        ]

    assert (made.status_code, made.json()) == (201, {"session_id": "b/1"})
    assert [len(each) for each in messages] == [6, 4]
    assert messages[1] == messages[0][:4]


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"session_id": "b", "turns": 0}, 422),
        ({"session_id": "b", "turns": 2}, 422),
        ({"session_id": "", "turns": 1}, 422),
        ({"session_id": "b"}, 422),
        ({"session_id": "s", "turns": 1}, 409),
        ({"session_id": "of bob", "turns": 1}, 409),
    ],
)
async def test_a_branch_that_cannot_be_is_refused(body: dict[str, Any], status: int) -> None:
    """Nothing is written; of a conversation of others there is none."""
    path = "/api/conversations/s/branches"
    async with (
        serving("one", "two", server=_KEYS) as address,
        client_of(address, _ANN) as ann,
        client_of(address, _BOB) as bob,
    ):
        await talk(ann, "s")
        await talk(bob, "of bob", user_id="bob")
        refused = await ann.post(path, json=body)
        strange = await bob.post(path, params={"user_id": "bob"}, json=body | {"turns": 1})
        listed = (await ann.get("/api/conversations")).json()["conversations"]

    assert (refused.status_code, len(listed)) == (status, 1)
    assert strange.status_code in {404, 422}


class Gate(Guard):
    """Lets a run in when it is told to."""

    order = 1

    def __init__(self) -> None:
        self.asked, self.is_open = asyncio.Event(), asyncio.Event()

    async def check(self, request: GuardRequest) -> GuardResult:
        self.asked.set()
        await self.is_open.wait()
        return Allowed()


async def test_the_run_that_goes_on_is_that_of_the_tenant() -> None:
    """Not that of another tenant in a conversation of the same id, for every caller."""
    gate = Gate()
    app = Application(ArcSettings(_isolated=True), register=[gate])
    app.container.chat_model.override(ScriptedChatModel(["one"]))
    body = {"user_prompt": "Go", "session_id": "s", "tenant_id": "acme", "respond": "submit"}
    async with serving_app(app.asgi()) as address, client_of(address) as client:
        run_id = (await client.post("/api/runs", json=body)).json()["run_id"]
        await gate.asked.wait()
        of_acme = await client.get("/api/conversations/s", params={"tenant_id": "acme"})
        of_none = await client.get("/api/conversations/s")
        gate.is_open.set()

    assert of_acme.json()["running"] == run_id
    assert of_none.status_code == 404


@pytest.mark.parametrize("limit", ["0", "101", "-1", "many", "1.5", "9" * 5000])
async def test_a_limit_is_a_small_number(limit: str) -> None:
    """Others are told what it may be."""
    async with serving() as address, client_of(address) as client:
        response = await client.get("/api/conversations", params={"limit": limit})

    assert response.status_code == 422
    assert response.json()["error"]["param"] == "limit"


class OlderStore(InMemoryConversationStore):
    """A store that was written when ids alone were the key."""

    async def delete(self, session_id: str) -> None:  # type: ignore[override]
        await super().delete(session_id)


async def test_a_store_that_deletes_by_id_alone_is_asked_so() -> None:
    """Of a conversation that is the caller's."""
    app = Application(ArcSettings(_isolated=True), register=[OlderStore()])
    app.container.chat_model.override(ScriptedChatModel(["one"]))
    async with serving_app(app.asgi()) as address, client_of(address) as client:
        await talk(client, "s")
        codes = [(await client.delete("/api/conversations/s")).status_code for _ in range(2)]

    assert codes == [204, 404]


class UnlistedStore(ConversationStore):
    """Has one conversation, and cannot list any."""

    async def owner_of(self, session_id: str) -> ConversationOwner | None:
        return None

    async def load(self, session_id: str, **_: Any) -> list[Message]:
        return []

    async def append(self, session_id: str, messages: Any, **_: Any) -> None:
        return

    async def delete(self, session_id: str, **_: Any) -> None:
        return


async def test_a_store_that_cannot_list_says_so() -> None:
    """With 501, which front ends may take for an empty list."""
    app = Application(ArcSettings(_isolated=True), register=[UnlistedStore()], plugins=False)
    app.container.chat_model.override(ScriptedChatModel([]))
    async with serving_app(app.asgi()) as address, client_of(address) as client:
        response = await client.get("/api/conversations")

    assert (response.status_code, response.json()["error"]["code"]) == (501, "not_supported")
