"""The server of the FastAPI page serves."""

import runpy
from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from tests.architecture.source import ROOT
from tests.docs.pages import blocks

ANN = {"x-user": "ann"}


@pytest.fixture
def client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[TestClient]:
    """The program of the page, saved as a file and started."""
    monkeypatch.chdir(tmp_path)
    for key in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY"):
        monkeypatch.delenv(key, raising=False)
    page = (ROOT / "docs" / "fastapi.md").read_text("utf-8")
    program = next(block for block in blocks(page) if block.language == "python")
    (tmp_path / "server.py").write_text(program.text, "utf-8")
    api = runpy.run_path(str(tmp_path / "server.py"))["api"]
    with TestClient(api) as started:
        yield started


def test_a_question_is_answered(client: TestClient) -> None:
    """With the tools that were used."""
    answer = client.post("/ask", json={"text": "How is the weather in Seoul?"}, headers=ANN).json()

    assert "21 °C" in answer["text"]
    assert answer["tools_used"] == ["get_weather"]


def test_a_rejection_has_its_status(client: TestClient) -> None:
    """And the reason of the guard, which is for the person who asked."""
    response = client.post("/ask", json={"text": " "}, headers=ANN)

    assert response.status_code == 422
    assert response.json()["detail"]


def test_an_answer_is_streamed(client: TestClient) -> None:
    """As text."""
    response = client.post("/stream", json={"text": "Weather in Busan?"}, headers=ANN)

    assert "Busan: 21 °C" in response.text
