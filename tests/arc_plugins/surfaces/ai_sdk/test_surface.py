"""The AI SDK's own chat against a served application."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tests.arc_plugins.surfaces.node_client import NodeClient
from tests.arc_plugins.surfaces.served_apps import (
    PIECES,
    SIZE,
    make_app,
    make_gated_app,
    make_obedient_model,
    parts_asked,
)
from tests.serving import serving_app

pytestmark = pytest.mark.slow  # starts node, which takes about a second

CALL = ("toolCallId", "state", "input", "output")


def send(text: str, **more: Any) -> dict[str, Any]:
    return {"do": "send", "text": text, **more}


def parts_of(chat: Any, kind: str) -> list[Any]:
    return [part for part in chat["messages"][-1]["parts"] if part["type"] == kind]


def texts_of(chat: Any) -> str:
    return "".join(part["text"] for part in parts_of(chat, "text"))


async def test_text_reasoning_and_a_tool_are_parts_of_one_message(node: NodeClient) -> None:
    """The reasoning, the call with its result and both texts stand in two steps."""
    async with serving_app(make_app().asgi()) as base:
        chat = await node.run(
            "chat.mjs", api=f"{base}/ai-sdk", id="s", steps=[send("weather Seoul")]
        )

    kinds = [part["type"] for part in chat["messages"][-1]["parts"]]
    call = parts_of(chat, "tool-weather")[0]
    assert kinds[:4] == ["step-start", "reasoning", "text", "tool-weather"]
    assert kinds[-2:] == ["step-start", "text"]
    assert call["state"] == "output-available"
    assert call["output"] == {"city": "Seoul", "degrees": 21}
    assert chat["status"] == "ready"


async def test_progress_and_metadata_reach_the_page(node: NodeClient) -> None:
    """What a tool reports is a data part; the message says its run, agent and usage."""
    async with serving_app(make_app().asgi()) as base:
        chat = await node.run(
            "chat.mjs", api=f"{base}/ai-sdk", id="s", steps=[send("weather Seoul")]
        )

    metadata = chat["messages"][-1]["metadata"]
    reported = parts_of(chat, "data-tool-progress")[0]["data"]
    assert reported["message"] == "looking out of the window"
    assert metadata["runId"] == chat["messages"][-1]["id"]
    assert metadata["agent"] == "default"
    assert metadata["usage"]["totalTokens"] == 30


async def test_the_chat_is_the_conversation_that_the_model_sees(node: NodeClient) -> None:
    """A second message of a chat is asked after the first one and its answer."""
    model = make_obedient_model()

    async with serving_app(make_app(model).asgi()) as base:
        steps = [send("hello"), send("again")]
        await node.run("chat.mjs", api=f"{base}/ai-sdk", id="s", steps=steps)

    texts = [getattr(message, "text", "") for message in model.requests[-1].messages]
    assert texts[-3:] == ["hello", "You say hello", "again"]


async def test_a_failure_in_mid_stream_is_an_error_after_the_text(node: NodeClient) -> None:
    """The text so far stays, the page is told in people's words, and nothing of the vendor."""
    async with serving_app(make_app().asgi()) as base:
        chat = await node.run("chat.mjs", api=f"{base}/ai-sdk", id="s", steps=[send("break")])

    assert texts_of(chat) == "Half of "
    assert chat["status"] == "error"
    assert chat["messages"][-1]["metadata"]["errorCode"]
    assert len(chat["errors"]) == 1
    assert "secret" not in chat["errors"][0]


ANSWERS: list[tuple[dict[str, Any], str, Any]] = [
    ({"approved": True}, "output-available", "paid 5"),
    ({"approved": True, "input": {"amount": 2}}, "output-available", "paid 2"),
    ({"approved": False, "reason": "too much"}, "output-denied", None),
]


@pytest.mark.parametrize(("answer", "state", "output"), ANSWERS)
async def test_an_approval_is_asked_and_answered_in_the_chat(
    node: NodeClient, answer: dict[str, Any], state: str, output: Any
) -> None:
    """The run goes on in the same message, with what the person has said of the call."""
    async with serving_app(make_app().asgi()) as base:
        steps = [send("pay 5"), {"do": "answer", **answer}]
        chat = await node.run("chat.mjs", api=f"{base}/ai-sdk", id="s", steps=steps)

    [call] = parts_of(chat, "tool-pay")
    assert len(chat["messages"]) == 2
    assert (call["state"], call.get("output")) == (state, output)
    assert texts_of(chat).startswith("I pay.Then: ")
    assert chat["errors"] == []


async def test_two_calls_of_one_turn_are_answered_apart(node: NodeClient) -> None:
    """One is approved and one denied, though the vendor gave both the same id."""
    async with serving_app(make_app().asgi()) as base:
        answers = [{"do": "answer", "approved": each} for each in (True, False)]
        steps = [send("pay 5 6"), *answers]
        chat = await node.run("chat.mjs", api=f"{base}/ai-sdk", id="s", steps=steps)

    states = [part["state"] for part in parts_of(chat, "tool-pay")]
    assert states == ["output-available", "output-denied"]
    assert texts_of(chat).count("Then:") == 1


async def test_the_call_of_a_delegated_agent_is_approved_in_the_chat(node: NodeClient) -> None:
    """Its agent is a data part, its call a part of the message, answered without further ado."""
    async with serving_app(make_app().asgi()) as base:
        steps = [send("delegate pay 3"), {"do": "answer", "approved": True}]
        chat = await node.run("chat.mjs", api=f"{base}/ai-sdk/boss", id="s", steps=steps)

    agent = parts_of(chat, "data-agent")[0]["data"]
    assert parts_of(chat, "tool-pay")[0]["output"] == "paid 3"
    assert (agent["agent"], agent["state"]) == ("cashier", "finished")
    assert texts_of(chat) == "Then: Then: paid 3"
    assert chat["messages"][-1]["metadata"]["agent"] == "boss"


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ({"answer": {"size": 40}}, "Then: ordered size 40"),
        ({"approve": False, "reason": "later"}, "The question to the user was denied: later"),
    ],
)
async def test_a_question_is_a_part_that_the_page_answers(
    node: NodeClient, answer: dict[str, Any], said: str
) -> None:
    """By a field of the body; the run goes on in the same message, whose part is closed."""
    async with serving_app(make_app().asgi()) as base:
        api, steps = f"{base}/ai-sdk", [send("order")]
        before = await node.run("chat.mjs", api=api, id="s1", steps=steps)
        steps.append({"do": "answerRequest", "answer": answer})
        chat = await node.run("chat.mjs", api=api, id="s2", steps=steps)

    [asked], [closed] = parts_of(before, "data-request"), parts_of(chat, "data-request")
    told = asked["data"]
    assert (told["kind"], told["text"], told["state"]) == ("question", "Which size?", "waiting")
    assert told["schema"] == SIZE
    assert (closed["data"]["state"], len(chat["messages"])) == ("answered", 2)
    assert said in texts_of(chat)
    assert chat["errors"] == []


async def cut_five_times(node: NodeClient, **sections: Any) -> Any:
    """A chat whose run goes on until its page has lost five connections."""
    app, _ = make_gated_app(**sections)
    async with serving_app(app.asgi()) as base:
        return await node.run(
            "chat.mjs",
            api=f"{base}/ai-sdk",
            id="s",
            body={} if sections else {"outlivesCaller": True},
            cut={"times": 5, "bytes": 400, "release": f"{base}/release"},
            steps=[send("go"), {"do": "resumeWhileCut"}],
        )


async def test_a_chat_reconnects_after_five_cuts_and_resumes_without_loss(node: NodeClient) -> None:
    """Each piece of text is there once, in one message."""
    chat = await cut_five_times(node)

    assert texts_of(chat) == "".join(PIECES)
    assert len(chat["messages"]) == 2
    assert chat["status"] == "ready"


async def test_a_durable_run_is_resumed_without_further_ado(
    node: NodeClient, tmp_path: Path
) -> None:
    """It outlives its page anyway, and is read from the database."""
    pytest.importorskip("croniter", reason="needs the extra durable")
    durable = {"enabled": True, "url": f"sqlite:///{tmp_path}/runs.db"}

    chat = await cut_five_times(node, durable=durable)

    assert texts_of(chat) == "".join(PIECES)
    assert chat["status"] == "ready"


async def test_a_page_that_is_loaded_again_is_asked_what_waits(node: NodeClient) -> None:
    """Resuming a chat whose run waits for a person shows the question, which can be answered."""
    async with serving_app(make_app().asgi()) as base:
        where = {"api": f"{base}/ai-sdk", "id": "s"}
        await node.run("chat.mjs", **where, steps=[send("pay 5")])
        steps = [{"do": "resume"}, {"do": "answer", "approved": True}]
        chat = await node.run("chat.mjs", **where, steps=steps)

    assert parts_of(chat, "tool-pay")[0]["output"] == "paid 5"
    assert texts_of(chat) == "I pay.Then: paid 5"


async def test_a_run_whose_page_leaves_is_cancelled(node: NodeClient) -> None:
    """`stop()` ends the run in the server, too."""
    app, model = make_gated_app()

    async with serving_app(app.asgi()) as base:
        steps = [{"do": "leave", "text": "go", "at": PIECES[3]}]
        await node.run("chat.mjs", api=f"{base}/ai-sdk", id="s", steps=steps)

        async with asyncio.timeout(30):
            await model.left.wait()
    assert not model.gate.is_set()


async def test_a_message_is_asked_again(node: NodeClient) -> None:
    """`regenerate()` asks the last message of the user again."""
    async with serving_app(make_app().asgi()) as base:
        steps = [send("hello"), {"do": "regenerate"}]
        chat = await node.run("chat.mjs", api=f"{base}/ai-sdk", id="s", steps=steps)

    assert [message["role"] for message in chat["messages"]] == ["user", "assistant"]
    assert texts_of(chat) == "You say hello"


async def test_a_file_of_the_page_reaches_the_model(node: NodeClient) -> None:
    """A data: URL becomes bytes with their media type and the name of the file."""
    model = make_obedient_model()
    file = {
        "type": "file",
        "mediaType": "image/png",
        "filename": "dot.png",
        "url": "data:image/png;base64,iVBORw0KGgo=",
    }

    async with serving_app(make_app(model).asgi()) as base:
        steps = [send("what is this", files=[file])]
        await node.run("chat.mjs", api=f"{base}/ai-sdk", id="s", steps=steps)

    text, attached = parts_asked(model)
    assert text.text == "what is this"
    assert (attached.name, attached.media_type) == ("dot.png", "image/png")
    assert attached.data == b"\x89PNG\r\n\x1a\n"
