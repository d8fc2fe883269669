"""What programs read."""

import json
import sys
from pathlib import Path
from types import MappingProxyType

import pytest

from arc_autoconfig.cli.json_output import print_json
from arc_core import AgentErrorCode, AgentResult, TokenUsage


def test_a_result_is_written_whole(capsys: pytest.CaptureFixture[str]) -> None:
    """Every field by its name, whatever a plugin has put into the metadata."""
    result = AgentResult(
        success=False,
        error_code=AgentErrorCode.TIMEOUT,
        partial_content="반쯤",
        token_usage=TokenUsage(3, 4),
        metadata=MappingProxyType({"path": Path("a/b"), "odd": object}),
    )

    print_json(result)

    printed = capsys.readouterr().out
    written = json.loads(printed)
    assert written.keys() == set(AgentResult.__slots__)
    assert (written["error_code"], written["success"]) == ("TIMEOUT", False)
    assert written["token_usage"]["completion_tokens"] == 4
    assert written["metadata"]["path"] == "a/b"
    assert "반쯤" in printed


def test_half_a_character_does_not_crash(monkeypatch: pytest.MonkeyPatch) -> None:
    """A model may send a lone surrogate; it arrives as JSON can say it."""
    file = Path("out.json")
    with file.open("w", encoding="utf-8", errors="backslashreplace") as stdout:
        monkeypatch.setattr(sys, "stdout", stdout)
        print_json({"content": "\ud83d"})

    assert json.loads(file.read_text("utf-8")) == {"content": "\ud83d"}
