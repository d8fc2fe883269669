"""A server tells whether it lives and is ready, and to callers what each component says."""

import asyncio
from typing import Any

from arc_core import Allowed, Guard, GuardResult
from arc_core.interfaces.optional import Health, HealthStatus
from tests.serving import KEY, client_of, serving

_KEYS = {"api_keys": [{"name": "ann", "key": KEY}]}


class CheckedGuard(Guard):
    """Is as a test says, and counts how often it is asked."""

    order = 50

    def __init__(self, status: HealthStatus) -> None:
        self.status, self.checks = status, 0

    async def check(self, command: Any) -> GuardResult:
        return Allowed()

    async def check_health(self) -> Health:
        self.checks += 1
        return Health(status=self.status, summary="as told", remedy="tell it otherwise")


async def test_it_lives_without_a_key() -> None:
    """A load balancer has none."""
    async with serving(server=_KEYS) as address, client_of(address) as client:
        response = await client.get("/health/live")

    assert (response.status_code, response.json()) == (200, {"status": "ok"})


async def test_an_error_of_a_component_is_not_ready() -> None:
    """With 503, and what to do about it; a warning is ready."""
    found = {}
    for status in (HealthStatus.ERROR, HealthStatus.WARNING):
        guard = CheckedGuard(status)
        async with serving(register=[guard]) as address, client_of(address) as client:
            response = await client.get("/health/ready")
        entry = next(each for each in response.json()["components"] if each["summary"] == "as told")
        found[status] = response.status_code, response.json()["status"], entry["remedy"]

    assert found[HealthStatus.ERROR] == (503, "error", "tell it otherwise")
    assert found[HealthStatus.WARNING] == (200, "ok", "tell it otherwise")


async def test_components_are_told_to_callers_with_a_key() -> None:
    """Others see the status alone."""
    async with (
        serving(server=_KEYS) as address,
        client_of(address) as stranger,
        client_of(address, KEY) as caller,
    ):
        public, known = [await each.get("/health/ready") for each in (stranger, caller)]

    assert public.json() == {"status": "ok"}
    assert "conversation_store: memory" in {each["subject"] for each in known.json()["components"]}


async def test_many_who_ask_at_once_cause_one_check() -> None:
    """Everyone may ask, and a check may reach a vendor."""
    guard = CheckedGuard(HealthStatus.OK)
    async with (
        serving(register=[guard]) as address,
        client_of(address) as client,
        asyncio.TaskGroup() as group,
    ):
        asked = [group.create_task(client.get("/health/ready")) for _ in range(20)]

    assert {each.result().status_code for each in asked} == {200}
    assert guard.checks == 1
