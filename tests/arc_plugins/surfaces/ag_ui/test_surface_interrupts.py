"""Runs that wait for people, as interrupts of AG-UI, and what resumes them."""

import json
from typing import Any

import httpx2
import pytest
from pydantic import SecretStr

from arc_core import Credential, Owner
from arc_core.testing.fakes import DictCredentials
from tests.arc_plugins.surfaces.served_apps import SIZE, make_app
from tests.serving import client_of, serving_app


async def post(client: httpx2.AsyncClient, content: str, **more: Any) -> httpx2.Response:
    """A run of ann's, or its resumption."""
    said = [{"id": "m", "role": "user", "content": content}]
    props = {"arc": {"userId": "ann"}}
    body = {"threadId": "t", "runId": "r", "messages": said, "forwardedProps": props}
    return await client.post("/ag-ui", json={**body, **more})


def events_in(response: httpx2.Response) -> list[Any]:
    """What the server-sent events of a response say."""
    return [json.loads(each.removeprefix("data: ")) for each in response.text.split("\n\n") if each]


async def interrupt(client: httpx2.AsyncClient, content: str) -> Any:
    """The interrupt with which a run ends."""
    [found] = events_in(await post(client, content))[-1]["outcome"]["interrupts"]
    return found


async def resume(client: httpx2.AsyncClient, asked: Any, **entry: Any) -> httpx2.Response:
    """What a run that resumes another one tells."""
    entries = [{"interruptId": asked["id"], **entry}]
    return await post(client, "", runId="r2", resume=entries)


ANSWERS: list[tuple[dict[str, Any], str]] = [
    ({"status": "resolved", "payload": {"size": 40}}, "Then: ordered size 40"),
    ({"status": "cancelled"}, "denied: the question was left without an answer"),
]


@pytest.mark.parametrize(("entry", "said"), ANSWERS)
async def test_a_question_is_an_interrupt_with_the_schema_of_its_answer(
    entry: dict[str, Any], said: str
) -> None:
    """The run that resumes tells the result of the call that was told before."""
    async with serving_app(make_app().asgi()) as base, client_of(base) as client:
        asked = await interrupt(client, "order")
        events = events_in(await resume(client, asked, **entry))

    kinds = [each["type"] for each in events]
    assert (asked["reason"], asked["message"]) == ("input_required", "Which size?")
    assert asked["responseSchema"] == SIZE
    assert asked["metadata"] == {"arc": {"kind": "question", "tool": "order"}}
    assert said in "".join(each.get("delta", "") for each in events)
    assert "TOOL_CALL_RESULT" in kinds
    assert "TOOL_CALL_START" not in kinds


async def test_a_login_is_made_elsewhere_before_its_run_is_resumed() -> None:
    """The interrupt says where and for which rights; a client cannot claim it."""
    app = make_app(None, DictCredentials())
    async with serving_app(app.asgi()) as base, client_of(base) as client:
        asked = await interrupt(client, "issues")
        early = await resume(client, asked, status="resolved")
        token = Credential(token=SecretStr("t"))
        await app.credentials.put(Owner(user_id="ann"), "github", token)
        events = events_in(await resume(client, asked, status="resolved"))

    told = asked["metadata"]["arc"]
    assert asked["reason"] == "arc:login"
    assert "responseSchema" not in asked
    assert (told["service"], told["scopes"]) == ("github", [])
    assert told["url"].startswith("https://arc.example/oauth/login/")
    assert early.status_code == 422
    assert "no issues" in "".join(each.get("delta", "") for each in events)


async def test_a_login_is_declined_by_the_client() -> None:
    """The model is told so."""
    app = make_app(None, DictCredentials())
    async with serving_app(app.asgi()) as base, client_of(base) as client:
        asked = await interrupt(client, "issues")
        events = events_in(await resume(client, asked, status="cancelled"))

    assert "login at github was denied" in "".join(each.get("delta", "") for each in events)


@pytest.mark.parametrize(
    ("content", "payload", "place"),
    [
        ("pay 5", "yes", "resume[0].payload"),
        ("pay 5", {"approved": True, "x": 1}, "resume[0].payload"),
        ("order", "yes", "resume[0].payload"),
        ("order", {"size": "XL"}, "size"),
    ],
)
async def test_a_payload_that_does_not_fit_is_refused(
    content: str, payload: Any, place: str
) -> None:
    """It names the place, and the run waits on."""
    async with serving_app(make_app().asgi()) as base, client_of(base) as client:
        asked = await interrupt(client, content)
        refused = await resume(client, asked, status="resolved", payload=payload)
        denied = await resume(client, asked, status="cancelled")

    assert refused.status_code in {409, 422}
    assert place in refused.json()["error"]["message"]
    assert denied.status_code == 200
