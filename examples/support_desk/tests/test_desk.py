"""The story of the desk, in processes and a database of its own."""

import json
import os
import shutil
import signal
import subprocess
import sys
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import psycopg
import pytest
from sqlalchemy import make_url
from support_desk.__main__ import ARC

FOLDER = Path(__file__).parents[1]
URL = make_url(os.environ.get("DESK_DATABASE_URL", "postgresql://localhost/support_desk"))


class Desk:
    """A server and workers, which tests start and stop.

    Args:
        url: Of an empty database.
    """

    def __init__(self, url: str) -> None:
        self.url = url
        self._processes: list[subprocess.Popen[str]] = []
        self._address = ""

    def start(self, command: str, *, version: Path = FOLDER) -> subprocess.Popen[str]:
        """Start a process in the folder of a version of the desk, and wait until it works."""
        arguments = ["serve", "--port", "0"] if command == "serve" else [command]
        process = subprocess.Popen(  # noqa: S603 -- a command of ours
            [*ARC, *arguments],
            cwd=version,
            env=_environment(self.url),
            stderr=subprocess.PIPE,
            text=True,
        )
        self._processes.append(process)
        assert process.stderr is not None
        said = next(line for line in process.stderr if line.startswith(("serves", "works")))
        if command == "serve":
            self._address = said.split()[-1]
        return process

    def ask(self, text: str, session: str = "s") -> dict[str, Any]:
        """What the desk answers Ann."""
        body = {"message": text, "agent": "front_desk", "session_id": session}
        answer = self._client("ann").post("/api/chat", json=body)
        found: dict[str, Any] = answer.json()
        return found

    def decide(self, request: dict[str, Any], name: str = "carol") -> int:
        """Approve a call, and return the status."""
        path = f"/api/runs/{request['run_id']}/decisions"
        body = {"key": request["key"], "approve": True}
        return self._client(name).post(path, json=body).status_code

    def events(self, run_id: str) -> Iterator[tuple[str, dict[str, Any]]]:
        """The events of a run from the first one on, until it ends or waits."""
        with self._client("ann").stream("GET", f"/api/runs/{run_id}/events") as answer:
            event = ""
            for line in answer.iter_lines():
                if line.startswith("event: "):
                    event = line.removeprefix("event: ")
                elif line.startswith("data: "):
                    yield event, json.loads(line.removeprefix("data: "))

    def refunds(self) -> list[tuple[Any, ...]]:
        """The amount of each refund, and how often its tool was called."""
        with psycopg.connect(self.url) as database:
            return database.execute("SELECT amount, attempts FROM refunds").fetchall()

    def close(self) -> None:
        """Stop what still runs."""
        for process in self._processes:
            process.send_signal(signal.SIGTERM)
        for process in self._processes:
            process.communicate()

    def _client(self, name: str) -> httpx2.Client:
        key = f"the-key-of-{name}-".ljust(19, "0")
        return httpx2.Client(
            base_url=self._address, headers={"Authorization": f"Bearer {key}"}, timeout=60
        )


def _environment(url: str) -> dict[str, str]:
    known = {key: text for key, text in os.environ.items() if not key.endswith("_API_KEY")}
    return known | {"DESK_DATABASE_URL": url, "ARC_TRUST": "1"}


@pytest.fixture
def desk() -> Iterator[Desk]:
    """The desk, not started."""
    url = URL.set(database=f"desk_{uuid.uuid4().hex}").render_as_string(hide_password=False)
    prepare = "from support_desk.__main__ import prepare; prepare()"
    prepared = subprocess.run(  # noqa: S603 -- a command of ours
        [sys.executable, "-c", prepare],
        cwd=FOLDER,
        env=_environment(url),
        capture_output=True,
        text=True,
        check=False,
    )
    if prepared.returncode:
        pytest.skip(prepared.stderr)
    desk = Desk(url)
    try:
        yield desk
    finally:
        desk.close()
        with psycopg.connect(url, dbname="postgres", autocommit=True) as server:
            server.execute(f"DROP DATABASE {make_url(url).database} WITH (FORCE)".encode())


def wait_for(desk: Desk, run_id: str, event: str) -> dict[str, Any]:
    """The first event of a kind."""
    return next(data for name, data in desk.events(run_id) if name == event)


def test_each_question_goes_to_its_expert(desk: Desk) -> None:
    """Customers see their own orders alone, and the company's agent and guard are there."""
    desk.start("serve")

    orders = desk.ask("Where are my orders?", "1")
    rule = desk.ask("What is the rule for refunds?", "2")
    foreign = desk.ask("Please refund order 23", "3")
    codename = desk.ask("When is Hypnosis ready?", "4")

    assert orders["agent"] == "orders"
    assert orders["content"] == "- Order 17, vase: delivered\n- Order 7, teapot: on its way"
    assert "100 euros" in rule["content"]
    assert foreign["content"] == "You have no such order."
    assert codename["error"]["code"] == "GUARD_REJECTED"


def test_small_refunds_are_paid_at_once_and_within_what_was_paid(desk: Desk) -> None:
    """The second one is more than is left of the order."""
    desk.start("serve")

    paid = desk.ask("Order 7 came broken, please refund 20 EUR")
    refused = desk.ask("Order 7 came broken, please refund 5 EUR")

    assert paid["content"] == "20.00 EUR were paid back for order 7."
    assert refused["content"].startswith("Refused")
    assert [(float(amount), attempts) for amount, attempts in desk.refunds()] == [(20.0, 1)]


def test_large_refunds_wait_for_a_person_with_the_right(desk: Desk) -> None:
    """Ann cannot approve her own, and Carol of finance can; a worker then pays."""
    desk.start("serve")
    desk.start("worker")

    [request] = desk.ask("Order 17 came broken, please refund it")["waiting"]
    statuses = [desk.decide(request, name) for name in ("ann", "carol")]
    done = wait_for(desk, request["run_id"], "done")

    assert statuses == [403, 200]
    assert done["result"]["content"] == "480.00 EUR were paid back for order 17."


def test_a_refund_goes_on_elsewhere_when_its_worker_is_killed(desk: Desk) -> None:
    """While the bank pays: the next worker makes the call again, and the money is paid once."""
    desk.start("serve")
    worker = desk.start("worker")
    [request] = desk.ask("Order 17 came broken, please refund it")["waiting"]
    desk.decide(request)
    wait_for(desk, request["run_id"], "tool_progress")

    worker.kill()
    desk.start("worker")
    done = wait_for(desk, request["run_id"], "done")

    assert done["result"]["content"] == "480.00 EUR were paid back for order 17."
    assert [(float(amount), attempts) for amount, attempts in desk.refunds()] == [(480.0, 2)]


def test_a_refund_that_waits_is_paid_by_the_version_that_was_deployed_since(
    desk: Desk, tmp_path: Path
) -> None:
    """Server and worker are replaced one after the other; the run keeps what it began with."""
    version = tmp_path / "version_2"
    shutil.copytree(FOLDER, version, ignore=shutil.ignore_patterns("node_modules", ".venv"))
    agents = version / "support_desk" / "agents.py"
    agents.write_text(agents.read_text().replace("were paid back", "went back by version 2"))
    old = [desk.start("serve"), desk.start("worker")]
    [request] = desk.ask("Order 17 came broken, please refund it")["waiting"]

    for command, process in zip(("serve", "worker"), old, strict=True):
        desk.start(command, version=version)
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=60) == 0
    desk.decide(request)
    done = wait_for(desk, request["run_id"], "done")

    assert done["result"]["content"] == "480.00 EUR went back by version 2 for order 17."
