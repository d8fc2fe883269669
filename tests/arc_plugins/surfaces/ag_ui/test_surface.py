"""AG-UI's own agent against a served application; it checks the order of events itself."""

from typing import Any

import pytest
from ag_ui.core import Event
from pydantic import TypeAdapter

from tests.arc_plugins.surfaces import served_apps
from tests.arc_plugins.surfaces.node_client import NodeClient
from tests.serving import serving_app

pytestmark = pytest.mark.slow  # starts node, which takes about a second

EVENTS: TypeAdapter[Any] = TypeAdapter(Event)


def send(content: Any, run_id: str = "r1", **more: Any) -> dict[str, Any]:
    return {"do": "send", "content": content, "runId": run_id, **more}


def kinds_of(run: Any) -> list[str]:
    """The types of the events of a run that had no error in the client; each is valid."""
    for event in run["events"]:
        EVENTS.validate_python(event)
    return [event["type"] for event in run["events"]]


def texts_of(agent: Any) -> list[str]:
    said = [each for each in agent["messages"] if each["role"] == "assistant"]
    return [each["content"] for each in said if "content" in each]


async def test_text_reasoning_and_a_tool_become_messages(node: NodeClient) -> None:
    """Reasoning, an assistant message with its call, the result, and the answer."""
    async with serving_app(served_apps.make_app().asgi()) as base:
        steps = [send("weather Seoul")]
        agent = await node.run("agent.mjs", url=f"{base}/ag-ui", threadId="t", steps=steps)

    [run] = agent["runs"]
    _, reasoning, asking, result, answer = agent["messages"]
    assert (run["error"], kinds_of(run)[0], kinds_of(run)[-1]) == (
        None,
        "RUN_STARTED",
        "RUN_FINISHED",
    )
    assert reasoning["content"] == "a city"
    assert asking["toolCalls"][0]["function"]["arguments"] == '{"city": "Seoul"}'
    assert result["toolCallId"] == asking["toolCalls"][0]["id"]
    assert answer["content"] == 'Then: {"city":"Seoul","degrees":21}'


async def test_progress_is_a_custom_event_and_usage_stands_at_the_end(node: NodeClient) -> None:
    """What a tool reports names its call; the end has the tokens of the whole run."""
    async with serving_app(served_apps.make_app().asgi()) as base:
        steps = [send("weather Seoul")]
        agent = await node.run("agent.mjs", url=f"{base}/ag-ui", threadId="t", steps=steps)

    events = agent["runs"][0]["events"]
    [progress] = [event for event in events if event["type"] == "CUSTOM"]
    assert progress["name"] == "arc.tool_progress"
    assert progress["value"]["message"] == "looking out of the window"
    assert events[-1]["usage"][0]["totalTokens"] == 30


async def test_a_failure_in_mid_stream_is_the_last_event(node: NodeClient) -> None:
    """The text so far is closed by the error, which has a code and no words of the vendor."""
    async with serving_app(served_apps.make_app().asgi()) as base:
        agent = await node.run(
            "agent.mjs", url=f"{base}/ag-ui", threadId="t", steps=[send("break")]
        )

    last = agent["runs"][0]["events"][-1]
    assert texts_of(agent) == ["Half of "]
    assert last["type"] == "RUN_ERROR"
    assert last["code"]
    assert "secret" not in last["message"]


RESPONSES: list[tuple[dict[str, Any], str]] = [
    ({"status": "resolved", "payload": {"approved": True}}, "paid 5"),
    ({"status": "resolved", "payload": {"approved": True, "editedArgs": {"amount": 2}}}, "paid 2"),
    ({"status": "resolved", "payload": {"approved": False, "reason": "no"}}, "was denied: no"),
    ({"status": "cancelled"}, "was denied: the question was left without an answer"),
]


@pytest.mark.parametrize(("response", "result"), RESPONSES)
async def test_an_approval_is_an_interrupt_that_another_run_resumes(
    node: NodeClient, response: dict[str, Any], result: str
) -> None:
    """The run that resumes tells the result of the same call, and what follows it."""
    async with serving_app(served_apps.make_app().asgi()) as base:
        steps = [send("pay 5"), {"do": "resume", "runId": "r2", "responses": {"pay": response}}]
        agent = await node.run("agent.mjs", url=f"{base}/ag-ui", threadId="t", steps=steps)

    first, second = agent["runs"]
    interrupt = first["events"][-1]["outcome"]["interrupts"][0]
    told = [each for each in second["events"] if each["type"] == "TOOL_CALL_RESULT"]
    assert interrupt["reason"] == "tool_call"
    assert [each["toolCallId"] for each in told] == [interrupt["toolCallId"]]
    assert told[0]["content"].endswith(result)
    assert "TOOL_CALL_START" not in kinds_of(second)
    assert (second["error"], agent["pending"]) == (None, [])


async def test_the_same_answers_twice_are_one_decision(node: NodeClient) -> None:
    """A resume that is sent again tells again what followed, and calls the tool once."""
    model = served_apps.make_obedient_model()
    answer = {"status": "resolved", "payload": {"approved": True}}

    async with serving_app(served_apps.make_app(model).asgi()) as base:
        resume = {"do": "resume", "responses": {"pay": answer}}
        steps = [send("pay 5"), {**resume, "runId": "r2"}]
        where = {"url": f"{base}/ag-ui", "threadId": "t"}
        agent = await node.run("agent.mjs", **where, steps=steps)
        entry = {"interruptId": agent["runs"][0]["events"][-1]["outcome"]["interrupts"][0]["id"]}
        again = {"do": "raw", "runId": "r2", "resume": [{**entry, **answer}]}
        repeated = await node.run("agent.mjs", **where, steps=[again])

    assert repeated["runs"][0]["events"] == agent["runs"][1]["events"]
    assert len(model.requests) == 2


async def test_a_delegated_agent_is_a_subagent_that_can_wait(node: NodeClient) -> None:
    """Its messages say whose they are; it is suspended with the run, and goes on with it."""
    responses = {"pay": {"status": "resolved", "payload": {"approved": True}}}

    async with serving_app(served_apps.make_app().asgi()) as base:
        steps = [send("delegate pay 3"), {"do": "resume", "runId": "r2", "responses": responses}]
        agent = await node.run("agent.mjs", url=f"{base}/ag-ui/boss", threadId="t", steps=steps)

    first, second = agent["runs"]
    suspended = first["events"][-2]
    assert suspended["outcome"] == {"type": "suspended"}
    assert kinds_of(first).count("SUBAGENT_STARTED") == 1
    assert kinds_of(second)[:2] == ["RUN_STARTED", "SUBAGENT_STARTED"]
    assert "SUBAGENT_FINISHED" in kinds_of(second)
    assert {each.get("subagentRunId") for each in agent["messages"]} == {
        None,
        suspended["subagentRunId"],
    }
    assert texts_of(agent)[-1] == "Then: Then: paid 3"


async def test_a_run_that_is_cut_five_times_is_read_again_without_loss(node: NodeClient) -> None:
    """The same run id reads from the beginning, and what the client has is dropped first."""
    app, _ = served_apps.make_gated_app()

    async with serving_app(app.asgi()) as base:
        agent = await node.run(
            "agent.mjs",
            url=f"{base}/ag-ui",
            threadId="t",
            cut={"times": 5, "bytes": 500, "release": f"{base}/release"},
            steps=[send("go", forwardedProps={"arc": {"outlivesCaller": True}})],
        )

    assert texts_of(agent) == ["".join(served_apps.PIECES)]
    assert [run["error"] for run in agent["runs"]] == [None]


async def test_a_file_reaches_the_model(node: NodeClient) -> None:
    """The text and the data of a message with parts become a prompt and an attachment."""
    model = served_apps.make_obedient_model()
    source = {"type": "data", "value": "iVBORw0KGgo=", "mimeType": "image/png"}
    content = [{"type": "text", "text": "what is this"}, {"type": "image", "source": source}]

    async with serving_app(served_apps.make_app(model).asgi()) as base:
        steps = [send(content)]
        await node.run("agent.mjs", url=f"{base}/ag-ui", threadId="t", steps=steps)

    text, attached = served_apps.parts_asked(model)
    assert text.text == "what is this"
    assert attached.data == b"\x89PNG\r\n\x1a\n"


async def test_a_tool_of_the_front_end_is_refused(node: NodeClient) -> None:
    """The client is told that Arc does not call it."""
    tools = [{"name": "confetti", "description": "", "parameters": {}}]

    async with serving_app(served_apps.make_app().asgi()) as base:
        agent = await node.run(
            "agent.mjs", url=f"{base}/ag-ui", threadId="t", steps=[send("hi", tools=tools)]
        )

    assert "422" in agent["runs"][0]["error"]
