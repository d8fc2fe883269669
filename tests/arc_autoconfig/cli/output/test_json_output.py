"""What programs read."""

import json
import sys
from pathlib import Path
from types import MappingProxyType

import pytest

from arc_autoconfig.cli.output.json_output import print_form, print_json
from arc_core import AgentErrorCode, AgentResult, TokenUsage
from arc_core.forms import from_json


def test_a_value_of_any_class_is_written(capsys: pytest.CaptureFixture[str]) -> None:
    """Reports of plugins may hold anything; what JSON does not know is its text."""
    print_json({"path": Path("a/b"), "more": MappingProxyType({"code": AgentErrorCode.TIMEOUT})})

    written = json.loads(capsys.readouterr().out)
    assert written == {"path": str(Path("a/b")), "more": {"code": "TIMEOUT"}}


def test_a_result_is_written_in_its_form(capsys: pytest.CaptureFixture[str]) -> None:
    """Every field by its name, and readable for `from_json`."""
    result = AgentResult(
        success=False,
        error_code=AgentErrorCode.TIMEOUT,
        partial_content="반쯤",
        token_usage=TokenUsage(3, 4),
    )

    print_form(result)

    printed = capsys.readouterr().out
    assert json.loads(printed).keys() == {"v", "type", *AgentResult.__slots__}
    assert from_json(printed, AgentResult) == result
    assert "반쯤" in printed


def test_half_a_character_does_not_crash(monkeypatch: pytest.MonkeyPatch) -> None:
    """A model may send a lone surrogate; it arrives as JSON can say it."""
    file = Path("out.json")
    with file.open("w", encoding="utf-8", errors="backslashreplace") as stdout:
        monkeypatch.setattr(sys, "stdout", stdout)
        print_json({"content": "\ud83d"})

    assert json.loads(file.read_text("utf-8")) == {"content": "\ud83d"}
