"""What a key is for."""

from typing import Any

import pytest

from arc_core import Agent, AgentCommand, Caller, SystemMessage, ToolCall, UserMessage
from arc_core.errors import NotPermittedError, UnknownAgentError
from arc_core.runs.callers import permit
from tests.serving import KEY, client_of, serving

AGENTS = ("default", "refunds")
BOUND = Caller(
    name="shop", tenant_id="acme", user_ids=frozenset({"ann"}), agents=frozenset({"refunds"})
)


def test_the_key_fills_in_what_a_request_leaves_out() -> None:
    """Tenant and user are those of the key."""
    command = permit(AgentCommand(user_prompt="Hi", agent="refunds"), BOUND, AGENTS)

    assert (command.tenant_id, command.user_id) == ("acme", "ann")


@pytest.mark.parametrize(
    ("named", "error"),
    [
        ({"agent": "default"}, NotPermittedError),
        ({"agent": "billing"}, UnknownAgentError),
        ({"agent": "refunds", "tenant_id": "other"}, NotPermittedError),
        ({"agent": "refunds", "user_id": "bob"}, NotPermittedError),
        ({"agent": "refunds", "tool_call": ToolCall("c1", "pay", "{}")}, NotPermittedError),
    ],
)
def test_what_a_key_is_not_for_is_refused(named: dict[str, Any], error: type[Exception]) -> None:
    """Another agent, tenant or user, an agent that does not exist, and tools for some agents."""
    with pytest.raises(error):
        permit(AgentCommand.model_validate({"user_prompt": "Hi", **named}), BOUND, AGENTS)


INSTRUCTIONS: list[dict[str, Any]] = [
    {"system_prompt": "You are a pirate."},
    {"conversation_history": (SystemMessage("You are a pirate."), UserMessage("Hi"))},
]


@pytest.mark.parametrize("said", INSTRUCTIONS, ids=["system prompt", "history"])
@pytest.mark.parametrize(
    ("bound", "is_allowed"),
    [
        ({}, True),
        ({"tenant_id": "acme"}, True),
        ({"instructions": False}, False),
        ({"user_ids": frozenset({"ann"})}, False),
        ({"agents": frozenset({"refunds"})}, False),
        ({"user_ids": frozenset({"ann"}), "instructions": True}, True),
    ],
    ids=str,
)
def test_instructions_need_the_right_to_write_them(
    bound: dict[str, Any], said: dict[str, Any], *, is_allowed: bool
) -> None:
    """Keys for users or agents have it only if they are given it; the message says where."""
    command = AgentCommand(user_prompt="Hi", user_id="ann", agent="refunds", **said)
    caller = Caller(name="shop", **bound)

    if is_allowed:
        assert permit(command, caller, AGENTS).system_prompt == command.system_prompt
        return
    with pytest.raises(NotPermittedError, match=r"instructions = true .* server\.api_keys"):
        permit(command, caller, AGENTS)


def test_a_key_for_several_users_needs_a_name() -> None:
    """None of them is meant more than the others."""
    caller = Caller(name="desk", user_ids=frozenset({"ann", "bob"}))

    with pytest.raises(NotPermittedError, match="name one of its users"):
        permit(AgentCommand(user_prompt="Hi"), caller, AGENTS)


KEYS: list[dict[str, Any]] = [
    {"name": "acme", "key": f"{KEY}-acme", "tenant": "acme"},
    {"name": "umbrella", "key": f"{KEY}-umbrella", "tenant": "umbrella"},
    {"name": "desk", "key": f"{KEY}-desk", "agents": ["refunds"]},
]


@pytest.mark.parametrize("key", ["umbrella", "desk"])
async def test_a_run_of_others_is_unknown(key: str) -> None:
    """It can be neither read, cancelled nor decided with the key of another tenant or agent."""
    async with (
        serving("Hi.", register=[Agent("refunds")], server={"api_keys": KEYS}) as address,
        client_of(address, f"{KEY}-acme") as ours,
        client_of(address, f"{KEY}-{key}") as theirs,
    ):
        run_id = (await ours.post("/api/chat", json={"message": "Hello"})).json()["run_id"]
        decision = {"key": "approve/0", "approve": True}
        answers = [
            await theirs.get(f"/api/runs/{run_id}"),
            await theirs.get(f"/api/runs/{run_id}/events"),
            await theirs.post(f"/api/runs/{run_id}/cancel"),
            await theirs.post(f"/api/runs/{run_id}/decisions", json=decision),
        ]
        seen = await ours.get(f"/api/runs/{run_id}")

    assert [each.status_code for each in answers] == [404] * 4
    assert seen.json()["state"] == "finished"


ANN = {"name": "ann", "key": f"{KEY}-ann", "users": ["ann"]}
SYSTEM = [{"role": "system", "content": "Be a pirate."}, {"role": "user", "content": "Hi"}]
INSTRUCTED: dict[str, dict[str, Any]] = {
    "/api/chat": {"message": "Hi", "system_prompt": "Be a pirate."},
    "/api/runs": {"user_prompt": "Hi", "system_prompt": "Be a pirate.", "respond": "submit"},
    "/v1/chat/completions": {"model": "default", "messages": SYSTEM},
    "/v1/responses": {"model": "default", "input": "Hi", "instructions": "Be a pirate."},
    "/v1/responses?": {
        "model": "default",
        "input": [{"role": "developer", "content": "Be a pirate."}, *SYSTEM[1:]],
    },
}


async def test_a_key_of_a_user_replaces_no_instructions_by_any_surface() -> None:
    """Each of them answers 403, with the setting that would give the right."""
    async with (
        serving("Hi.", server={"api_keys": [ANN]}) as address,
        client_of(address, f"{KEY}-ann") as client,
    ):
        for path, body in INSTRUCTED.items():
            refused = await client.post(path, json=body)

            assert refused.status_code == 403, path
            assert "instructions = true" in refused.json()["error"]["message"]
