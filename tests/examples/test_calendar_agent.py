"""The example of an agent with a login goes the whole way, at a real authorization server."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2
import pytest

pytest.importorskip("mcp", reason="needs the extra mcp")

from tests.ports import free_port

pytestmark = pytest.mark.slow

FOLDER = Path(__file__).parents[2] / "examples" / "calendar_agent"
_AT_MOST_S = 60.0


@contextmanager
def program(name: str, folder: Path, address: str, **environment: str) -> Iterator[None]:
    """A program of the example that has begun to serve."""
    known = {name: value for name, value in os.environ.items() if not name.endswith("_API_KEY")}
    with subprocess.Popen(
        [sys.executable, FOLDER / name], cwd=folder, env={**known, **environment}
    ) as popen:
        try:
            until = time.monotonic() + _AT_MOST_S
            while popen.poll() is None and not _is_served(address):
                assert time.monotonic() < until, f"{name} does not serve"
                time.sleep(0.1)  # another process
            yield
        finally:
            popen.kill()


def _is_served(address: str) -> bool:
    try:
        httpx2.get(address)
    except httpx2.ConnectError:
        return False
    return True


def test_a_person_asks_logs_in_and_reads_the_answer(tmp_path: Path) -> None:
    """The run waits for the login, and goes on by itself."""
    agent, service = (f"http://127.0.0.1:{port}" for port in (free_port(), free_port()))
    ports = {"AGENT_PORT": agent.rpartition(":")[2], "CALENDAR_PORT": service.rpartition(":")[2]}
    urls = {"AGENT_URL": agent, "CALENDAR_URL": service}
    with (
        program("calendar_service.py", tmp_path, service, **ports, **urls),
        program("calendar_agent.py", tmp_path, agent, **ports, **urls),
        httpx2.Client(follow_redirects=True, timeout=60) as browser,
    ):
        asked = {"message": "What events are in my calendar?", "user_id": "ann"}
        (request,) = browser.post(f"{agent}/api/chat", json=asked).json()["waiting"]
        page = browser.get(request["url"])
        consent = browser.post(page.url)
        ended = browser.post(consent.url, data={"user": "ann"})
        events = browser.get(f"{agent}/api/runs/{request['run_id']}/events").text

    assert "calendar" in page.text
    assert "goes on" in ended.text
    assert "10:00 dentist" in events
