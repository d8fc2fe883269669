"""The document assistant goes the whole way: by meaning, in the archive, over its window."""

import base64
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

pytest.importorskip("mcp", reason="needs the extra mcp")

from tests.architecture.source import ROOT
from tests.ports import free_port

pytestmark = [pytest.mark.slow, pytest.mark.timeout(180)]

STARTED = "The assistant is at"


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which the assistant and the company's package are installed."""
    folder = tmp_path_factory.mktemp("packages")
    names = [
        shutil.copytree(ROOT / "examples" / name, folder / "sources" / name)
        for name in ("company_starter", "document_assistant")
    ]
    options = ["--quiet", "--no-deps", "--no-build-isolation", "--target", str(folder)]
    pip = [sys.executable, "-m", "pip", "install"]
    subprocess.run([*pip, *options, *map(str, names)], check=True)
    return folder


@pytest.fixture(scope="module")
def browser(packages: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx2.Client]:
    """A client of the assistant, which was started by its command."""
    assistant, archive = str(free_port()), str(free_port())
    known = {name: value for name, value in os.environ.items() if not name.endswith("_API_KEY")}
    own = {"PYTHONPATH": str(packages), "ASSISTANT_PORT": assistant, "ARCHIVE_PORT": archive}
    with subprocess.Popen(
        [sys.executable, "-m", "document_assistant"],
        cwd=tmp_path_factory.mktemp("assistant"),
        env={**known, **own},
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline().startswith(STARTED)
            url = f"http://127.0.0.1:{assistant}"
            transport = httpx2.HTTPTransport(retries=7)  # for half a minute: it starts to serve
            with httpx2.Client(
                base_url=url, transport=transport, follow_redirects=True, timeout=60
            ) as client:
                yield client
        finally:
            process.terminate()
    with socket.socket() as client:
        assert client.connect_ex(("127.0.0.1", int(archive))) != 0, "the archive goes on"


def ask(browser: httpx2.Client, question: str, **more: Any) -> dict[str, Any]:
    """What the assistant answers Ann."""
    asked = {"message": question, "agent": "assistant", "user_id": "ann", **more}
    answer: dict[str, Any] = browser.post("/api/chat", json=asked).json()
    return answer


def test_documents_are_found_by_their_meaning(browser: httpx2.Client) -> None:
    """The document says leave, and the question holidays."""
    answer = ask(browser, "How many holidays do I get?")

    assert "27 days of annual leave" in answer["content"]
    assert "documents/leave.md" in answer["content"]


def test_a_contract_is_found_after_a_login(browser: httpx2.Client) -> None:
    """The run waits for it, and goes on by itself in the name of the person."""
    (request,) = ask(browser, "What does my contract say?")["waiting"]
    consent = browser.post(browser.get(request["url"]).url)
    ended = browser.post(consent.url, data={"user": "ann"})
    events = browser.get(f"/api/runs/{request['run_id']}/events").text

    assert "goes on" in ended.text
    assert "Contract 17: engineer" in events


def test_a_run_reads_more_than_its_window_holds(browser: httpx2.Client) -> None:
    """What it read in the beginning is found again in the end."""
    answer = ask(browser, "Read the minutes of 1990 to 2009: when is the fire drill?")

    assert "first Monday of May" in answer["content"]
    assert "read_result" in answer["tools_used"]


def test_a_file_may_be_attached(browser: httpx2.Client) -> None:
    """The model is given it with the question."""
    data = base64.b64encode(b"%PDF-1.4\n").decode()
    file = {"type": "attachment", "media_type": "application/pdf", "data": data, "name": "bill.pdf"}
    asked = {"user_prompt": "What is it?", "agent": "assistant", "attachments": [file]}

    answer = browser.post("/api/runs", json={**asked, "respond": "wait"}).json()

    assert "bill.pdf" in answer["content"]


def test_the_companys_guard_holds_here_too(browser: httpx2.Client) -> None:
    """The package of the platform team is installed, and nothing else was done for it."""
    assert ask(browser, "Is Hypnosis ready?")["error"]["code"] == "GUARD_REJECTED"
