"""Requests to the AG-UI surface that its client would not send, or would send differently."""

import json
from typing import Any

import httpx2
import pytest

from tests.arc_plugins.surfaces.served_apps import check_refused, leave_run, make_gated_app
from tests.serving import client_of, serving_app

HELLO = {"id": "m", "role": "user", "content": "hello"}
ASKED: dict[str, Any] = {"threadId": "t", "runId": "r", "messages": [HELLO]}


def asked(content: Any, **more: Any) -> dict[str, Any]:
    return {**ASKED, "messages": [{**HELLO, "content": content}], **more}


def events_in(text: str) -> list[Any]:
    return [json.loads(each.removeprefix("data: ")) for each in text.split("\n\n") if each]


def resumed(**entry: Any) -> dict[str, Any]:
    return {**ASKED, "runId": "r2", "resume": [{"interruptId": "r#approve/0#3", **entry}]}


RESOLVED = {"status": "resolved", "payload": {"approved": True}}
IMAGE = {"type": "image"}
HOSTILE: list[tuple[Any, int, str]] = [
    ({}, 422, "threadId: "),
    ({**ASKED, "messages": []}, 422, "no message of the user"),
    ({**ASKED, "messages": [{**HELLO, "role": "root"}]}, 422, "messages[0]"),
    ({**ASKED, "runId": ""}, 422, "runId has 1 to 200"),
    ({**ASKED, "threadId": "t" * 201}, 422, "threadId has 1 to 200"),
    (asked([{"type": "hologram"}]), 422, "messages[0]"),
    (asked([{**IMAGE, "source": {"type": "file", "value": "f1"}}]), 422, "file of a vendor"),
    (asked([{**IMAGE, "source": {"type": "url", "value": "ftp://x/y.png"}}]), 422, "attached"),
    ({**ASKED, "tools": [{"name": "a", "description": "b"}]}, 422, "leave tools out"),
    ({**ASKED, "forwardedProps": {"arc": {"root": 1}}}, 422, "forwardedProps.arc.root"),
    (resumed(status="maybe"), 422, "resume[0].status"),
    (resumed(**RESOLVED), 404, "no run 'r'"),
    (resumed(**{**RESOLVED, "interruptId": "r"}), 422, "is not an id that was asked"),
]


LARGE = "x" * 1_200_000


@pytest.mark.parametrize(
    "more",
    [
        {"state": {"notes": LARGE}},
        {"context": [{"description": "page", "value": LARGE}]},
        {"resume": [{"interruptId": "r#approve/0#3", "status": "resolved", "payload": LARGE}]},
    ],
    ids=["state", "context", "resume"],
)
async def test_what_goes_to_the_run_beside_the_question_is_bounded(
    client: httpx2.AsyncClient, more: dict[str, Any]
) -> None:
    """As the question is; only what was said before, which is not read, may be more."""
    refused = await client.post("/ag-ui", json={**ASKED, **more})
    earlier = [{**HELLO, "id": "e", "content": LARGE}, HELLO]
    taken = await client.post("/ag-ui", json={**ASKED, "messages": earlier})

    assert (refused.status_code, taken.status_code) == (413, 200)


@pytest.mark.parametrize(("body", "status", "message"), HOSTILE)
async def test_a_body_that_is_wrong_is_refused_by_name(
    client: httpx2.AsyncClient, body: Any, status: int, message: str
) -> None:
    """The status and the message say what is wrong; nothing runs."""
    await check_refused(client, "/ag-ui", body, status=status, message=message)


async def test_a_body_that_is_not_json_or_huge_is_refused(client: httpx2.AsyncClient) -> None:
    """Each has a status of its own."""
    headers = {"content-type": "application/json"}

    broken = await client.post("/ag-ui", content=b"[", headers=headers)
    huge = await client.post("/ag-ui", json=asked("a" * 2_000_000))

    assert (broken.status_code, huge.status_code) == (400, 413)


async def test_a_long_conversation_is_not_a_huge_body(client: httpx2.AsyncClient) -> None:
    """Clients send all messages each time, and only the last one of the user is read."""
    before = [{**HELLO, "content": "a" * 900_000}] * 2

    response = await client.post("/ag-ui", json={**ASKED, "messages": [*before, HELLO]})

    assert response.status_code == 200


async def test_the_same_run_id_with_another_question_is_a_conflict(
    client: httpx2.AsyncClient,
) -> None:
    """A run keeps its command; the same question is the same run."""
    first = await client.post("/ag-ui", json=ASKED)
    again = await client.post("/ag-ui", json=ASKED)
    other = await client.post("/ag-ui", json=asked("something else"))

    assert first.text == again.text
    assert other.status_code == 409


async def test_what_the_front_end_tells_reaches_hooks_and_tools(client: httpx2.AsyncClient) -> None:
    """Context and state are metadata of the command, and so part of what a run is."""
    context = [{"description": "page", "value": "orders"}]

    first = await client.post("/ag-ui", json=ASKED)
    other = await client.post("/ag-ui", json={**ASKED, "context": context})

    assert (first.status_code, other.status_code) == (200, 409)


async def test_half_a_surrogate_pair_does_not_break_the_stream(client: httpx2.AsyncClient) -> None:
    """What a model says of it is escaped."""
    response = await client.post("/ag-ui", json=asked("half"))

    told = events_in(response.text)
    assert "".join(each.get("delta", "") for each in told) == "half \ud800"
    assert told[-1]["type"] == "RUN_FINISHED"


async def test_a_client_that_leaves_ends_its_run_within_a_second() -> None:
    """The model is left as soon as the connection is closed, and the run reads as cancelled."""
    app, model = make_gated_app()

    async with serving_app(app.asgi()) as base, client_of(base) as client:
        await leave_run(client, "/ag-ui", ASKED, model=model)
        again = await client.post("/ag-ui", json=ASKED)

    assert events_in(again.text)[-1]["outcome"] == {"type": "cancelled"}
