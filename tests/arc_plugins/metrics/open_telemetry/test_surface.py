"""The page that a Prometheus scrapes."""

import subprocess
import sys

import pytest

PROGRAM = """
import asyncio
from tests.serving import client_of, serving

async def main():
    async with serving("Hi.", telemetry={"metrics": True}) as address, client_of(address) as client:
        await client.post("/api/chat", json={"message": "Hello"})
        page = await client.get("/metrics")
        print(page.status_code, page.headers["content-type"], "arc" in page.text, page.text)

asyncio.run(main())
"""


@pytest.mark.slow
def test_prometheus_reads_the_figures() -> None:
    """Also if the program has set up no meter provider, which is global: hence a process."""
    shown = subprocess.run(
        [sys.executable, "-c", PROGRAM], check=True, capture_output=True, text=True, timeout=60
    ).stdout

    assert shown.startswith("200 text/plain")
    assert "gen_ai_client_operation_duration_seconds_count" in shown


_CALLERS = """
from starlette.applications import Starlette
from starlette.testclient import TestClient
from arc_core import Caller, NotPermittedError
from arc_core.serving.requests import CALLER
from arc_plugins.metrics.open_telemetry.surface import MetricsSurface

served = Starlette(routes=MetricsSurface().routes(None))
callers = [
    Caller(name="acme", tenant_id="acme"),
    Caller(name="ann", user_ids=frozenset({"ann"})),
    Caller(name="asking", agents=frozenset({"default"})),
    Caller(name="operator"),
]
for caller in callers:
    async def as_caller(scope, receive, send):
        await served({**scope, CALLER: caller}, receive, send)

    try:
        print(caller.name, TestClient(as_caller).get("/metrics").status_code)
    except NotPermittedError as error:
        print(caller.name, error.problem)
"""


@pytest.mark.slow
def test_a_bound_key_reads_no_figures() -> None:
    """They are those of all tenants, users and agents; an operator's key reads them."""
    shown = subprocess.run(
        [sys.executable, "-c", _CALLERS], check=True, capture_output=True, text=True, timeout=60
    ).stdout

    refused = "the figures of all tenants"
    assert shown.splitlines() == [
        f"acme {refused}", f"ann {refused}", f"asking {refused}", "operator 200"
    ]  # fmt: skip
