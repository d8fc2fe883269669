"""What is remembered of sessions: bounded, and apart."""

import pytest

from arc_core import AgentCommand
from arc_core.command import session_key
from arc_core.engine.session_memory import SessionMemory


def key_of(session_id: str | None) -> str | None:
    """The key of a session."""
    return session_key(AgentCommand(user_prompt="Hello", session_id=session_id))


def test_the_key_of_a_session_is_always_the_same() -> None:
    """It says nothing of the session's name, and is no longer than vendors take."""
    assert key_of("a secret name") == key_of("a secret name")
    assert key_of("a secret name") != key_of("another")
    assert len(key_of("a secret name" * 99) or "") == 64


def test_sessions_of_one_id_have_keys_of_their_own() -> None:
    """Of each tenant and each user, whatever the names are put together of."""
    owners = [
        (None, None),
        ("acme", None),
        ("Acme", None),
        (None, "acme"),
        ("ac", "me"),
        ("a", "b"),
    ]
    commands = [
        AgentCommand(user_prompt="Hello", session_id="s", tenant_id=tenant, user_id=user)
        for tenant, user in owners
    ]

    assert len(set(map(session_key, commands))) == len(owners)


@pytest.mark.parametrize("tenant", [None, "", " "])
def test_a_blank_tenant_is_none(tenant: str | None) -> None:
    """Its session has the key of one without a tenant."""
    command = AgentCommand(user_prompt="Hello", session_id="s", tenant_id=tenant)

    assert session_key(command) == key_of("s")


def test_without_a_session_there_is_no_key() -> None:
    """An empty name is none."""
    assert key_of(None) is key_of("") is None


def test_any_name_has_a_key() -> None:
    """Half a surrogate pair too."""
    assert key_of("\ud800") != key_of("\udc00")


def test_the_least_recently_used_session_is_forgotten() -> None:
    """What was put again stays."""
    memory: SessionMemory[int] = SessionMemory(max_sessions=2)

    for key, value in (("a", 1), ("b", 2), ("a", 3), ("c", 4)):
        memory.put(key, value)

    assert [memory.get(key) for key in "abc"] == [3, None, 4]
