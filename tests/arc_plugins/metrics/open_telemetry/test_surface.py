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
