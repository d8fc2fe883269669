"""Requests to the AI SDK's surface that its client would not send, or would send differently."""

from typing import Any

import httpx2
import pytest

from tests.arc_plugins.surfaces.served_apps import check_refused, leave_run, make_gated_app
from tests.serving import client_of, serving_app

HELLO = {"id": "m", "role": "user", "parts": [{"type": "text", "text": "hello"}]}
ASKED: dict[str, Any] = {"id": "s", "messages": [HELLO], "trigger": "submit-message"}


def asked(*parts: Any, role: str = "user", **more: Any) -> dict[str, Any]:
    return {**ASKED, "messages": [{"id": "m", "role": role, "parts": list(parts)}], **more}


def answered(approval_id: str, **more: Any) -> dict[str, Any]:
    approval = {"id": approval_id, "approved": True}
    part = {"type": "tool-pay", "toolCallId": "c", "state": "approval-responded"}
    return asked({**part, "approval": approval, **more}, role="assistant")


FILE = {"type": "file", "mediaType": "image/png"}
HOSTILE: list[tuple[Any, int, str]] = [
    ({}, 422, "id: "),
    ({**ASKED, "messages": []}, 422, "nothing to do"),
    ({**ASKED, "messages": "hello"}, 422, "messages: "),
    ({**ASKED, "temprature": 1}, 422, "temprature"),
    ({**ASKED, "id": ""}, 422, "id has 1 to 200"),
    ({**ASKED, "id": "a\x1b[2J"}, 422, "id has 1 to 200"),
    ({**ASKED, "trigger": "reformat-disk"}, 422, "trigger"),
    (asked(role="root"), 422, "messages[0].role"),
    (asked(role="assistant"), 422, "nothing to do"),
    (asked({"type": "text"}), 422, "messages[0].parts[0].text"),
    (asked({"type": "tool-pay", "state": "done"}), 422, "'tool-pay'"),
    (asked({"type": ["text"]}), 422, "messages[0].parts[0]"),
    (asked({**FILE, "url": "data:image/png;base64,!!"}), 422, "not base64"),
    (asked({**FILE, "url": "file:///etc/passwd"}), 422, "cannot be attached"),
    (asked({**FILE, "url": "data:image/png;base64,"}), 422, "it is empty"),
    (answered("nonsense"), 422, "is not an id that was asked"),
    (answered("run#approve/0#x"), 400, "is not the id of an event"),
    (answered("run#approve/0#3"), 404, "no run 'run'"),
    ({**ASKED, "answers": {"run#ask/0/1#3": {}}}, 422, "one of answer and approve"),
    ({**ASKED, "answers": {"run#ask/0/1#3": {"approve": False}}}, 404, "no run 'run'"),
]


@pytest.mark.parametrize(("body", "status", "message"), HOSTILE)
async def test_a_body_that_is_wrong_is_refused_by_name(
    client: httpx2.AsyncClient, body: Any, status: int, message: str
) -> None:
    """The status and the message say what is wrong; nothing runs."""
    await check_refused(client, "/ai-sdk", body, status=status, message=message)


async def test_a_body_that_is_not_json_is_refused(client: httpx2.AsyncClient) -> None:
    """The header and the text each have a status of their own."""
    headers = {"content-type": "application/json"}

    broken = await client.post("/ai-sdk", content=b"{", headers=headers)
    form = await client.post("/ai-sdk", data={"id": "s"})

    assert (broken.status_code, form.status_code) == (400, 415)


async def test_a_body_that_is_huge_is_refused(client: httpx2.AsyncClient) -> None:
    """A text is bounded, beside what is attached."""
    long = "a" * 2_000_000
    response = await client.post("/ai-sdk", json=asked({"type": "text", "text": long}))
    told = await client.post("/ai-sdk", json={**ASKED, "metadata": {"notes": long}})
    answers = {"run#ask/0/1#3": {"answer": {"size": long}}}
    said = await client.post("/ai-sdk", json={**ASKED, "answers": answers})

    assert (response.status_code, told.status_code, said.status_code) == (413, 413, 413)


async def test_a_long_chat_is_not_a_huge_body(client: httpx2.AsyncClient) -> None:
    """`useChat` sends all messages each time, and only the last one is read."""
    image = {**FILE, "url": f"data:image/png;base64,{'A' * 400_000}"}
    before = asked({"type": "text", "text": "a" * 900_000}, image)["messages"]

    response = await client.post("/ai-sdk", json={**ASKED, "messages": [*before, *before, HELLO]})

    assert response.status_code == 200


async def test_an_unknown_agent_is_not_found(client: httpx2.AsyncClient) -> None:
    """The path names the agent."""
    assert (await client.post("/ai-sdk/nobody", json=ASKED)).status_code == 404


async def test_a_chat_in_which_nothing_runs_has_no_content(client: httpx2.AsyncClient) -> None:
    """Also after a run that has ended."""
    response = await client.post("/ai-sdk", json=ASKED)
    resumed = await client.get("/ai-sdk/s/stream")

    assert response.headers["x-vercel-ai-ui-message-stream"] == "v1"
    assert response.text.endswith("data: [DONE]\n\n")
    assert (resumed.status_code, resumed.content) == (204, b"")


async def test_a_run_that_is_named_is_resumed_also_once_it_has_ended(
    client: httpx2.AsyncClient,
) -> None:
    """So a page reads the end of a run that a person elsewhere has decided meanwhile."""
    response = await client.post("/ai-sdk", json=ASKED)

    run_id = response.headers["x-run-id"]
    resumed = await client.get(f"/ai-sdk/s/stream?runId={run_id}")
    unknown = await client.get("/ai-sdk/s/stream?runId=unknown")

    assert resumed.headers["x-run-id"] == run_id
    assert resumed.text.endswith("data: [DONE]\n\n")
    assert unknown.status_code == 404


async def test_an_answer_in_another_chat_is_refused(client: httpx2.AsyncClient) -> None:
    """The id of a question is good in its own conversation only."""
    text = {"type": "text", "text": "pay 5"}
    run_id = (await client.post("/ai-sdk", json=asked(text))).headers["x-run-id"]

    body = {**answered(f"{run_id}#approve/0#3"), "id": "another"}
    response = await client.post("/ai-sdk", json=body)

    assert response.status_code == 422
    assert "another conversation" in response.json()["error"]["message"]


async def test_a_key_for_users_reads_the_chats_of_the_one_it_names() -> None:
    """`?userId=` is the user of the run and of its resumption; another one finds nothing."""
    key = {"name": "shop", "key": "k" * 20, "users": ["ada", "bob"]}
    app, model = make_gated_app(server={"api_keys": [key]})
    headers = {"authorization": f"Bearer {'k' * 20}"}

    async with (
        serving_app(app.asgi()) as base,
        httpx2.AsyncClient(base_url=base, trust_env=False, headers=headers, timeout=20) as client,
        client.stream("POST", "/ai-sdk?userId=ada", json=ASKED) as response,
    ):
        other = await client.get("/ai-sdk/s/stream?userId=bob")
        async with client.stream("GET", "/ai-sdk/s/stream?userId=ada") as resumed:
            assert resumed.headers["x-run-id"] == response.headers["x-run-id"]
        model.gate.set()
        await response.aread()

    assert other.status_code == 204


async def test_a_client_that_leaves_ends_its_run_within_a_second() -> None:
    """The model is left as soon as the connection is closed."""
    app, model = make_gated_app()

    async with serving_app(app.asgi()) as base, client_of(base) as client:
        await leave_run(client, "/ai-sdk", ASKED, model=model)
