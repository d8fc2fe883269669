"""How much of a request is the beginning of the one before, and whether it is measured rightly."""

import json
import os
import subprocess
import sys

import pytest

pytest.importorskip("openai", reason="needs the extra openai")
pytest.importorskip("anthropic", reason="needs the extra anthropic")

from benchmarks.prefix_figures import figures_of
from benchmarks.prefix_vendors import VENDORS
from benchmarks.prompt_prefix import CASES, measure
from tests.architecture.source import ROOT

CHAT = VENDORS["openai chat"]


@pytest.mark.slow
@pytest.mark.parametrize("vendor", VENDORS)
@pytest.mark.parametrize("case", ["as it comes", "50 turns", "small window"])
async def test_requests_of_a_session_begin_alike(
    vendor: str, case: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In 100 runs 90 % of the bytes; but for cuts, all that stood before the last question."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-test")

    found = await measure(VENDORS[vendor], CASES[case], turns=100)

    assert found.share >= 0.9
    assert found.least >= 0.99
    assert found.cuts <= 24


@pytest.mark.slow
@pytest.mark.parametrize("engines", [2, 4])
async def test_processes_that_share_a_store_begin_alike(
    engines: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A session that goes from one to the other keeps its prefix as in one process."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")

    one = await measure(CHAT, CASES["as it comes"], turns=50)
    several = await measure(CHAT, CASES["as it comes"], turns=50, engines=engines)

    assert several.share == pytest.approx(one.share, abs=0.001)
    assert several.cuts == one.cuts


@pytest.mark.slow
def test_every_vendor_and_case_is_measured() -> None:
    """A line for each, at a small size."""
    process = subprocess.run(
        [sys.executable, "-m", "benchmarks.prompt_prefix", "--turns", "3"],
        cwd=ROOT, env={**os.environ}, capture_output=True, text=True, check=False,
    )  # fmt: skip

    assert process.returncode == 0, process.stderr
    lines = process.stdout.splitlines()[1:]
    assert [line.split("  ")[0].strip() for line in lines] == [
        name for name in VENDORS for _ in CASES
    ]


def body(*texts: str, system: str = "Be brief.") -> bytes:
    """A chat completion request: questions and answers in turn."""
    messages = [{"role": "system", "content": system}]
    for number, text in enumerate(texts):
        messages.append({"role": ("user", "assistant")[number % 2], "content": text})
    return json.dumps({"tools": [], "messages": messages}, separators=(",", ":")).encode()


def test_a_request_that_goes_on_is_not_a_cut() -> None:
    """Even though the documents in front of the last question are gone."""
    before, now = body("Facts. Question 1"), body("Question 1", "Yes.", "Facts. Question 2")

    found = figures_of(CHAT, [before, now])

    assert (found.cuts, found.least) == (0, 1)
    assert 0.3 < found.share < 0.9


@pytest.mark.parametrize(
    "now",
    [
        body("Question 1", "Yes.", "Question 3", system="Be long."),
        body("Question 2", "Yes.", "Question 3"),
    ],
)
def test_a_request_that_begins_otherwise_is_a_cut(now: bytes) -> None:
    """Another system prompt, or another first message."""
    assert figures_of(CHAT, [body("Question 1", "Yes.", "Question 2"), now]).cuts == 1


def test_cache_marks_do_not_count() -> None:
    """Requests that are alike without them begin alike."""
    plain = body("Question 1")
    marked = plain.replace(b'brief."', b'brief.","cache_control":{"type":"ephemeral"}')

    assert figures_of(CHAT, [plain, marked]).share == 1
