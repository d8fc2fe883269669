"""The tutorial of MCP servers with logins prints what it says, from its first command on."""

import os
import re
import sys
from pathlib import Path

import httpx2
import pytest

pytest.importorskip("mcp", reason="needs the extra mcp")

from tests.architecture.source import ROOT
from tests.docs.pages import blocks
from tests.docs.transcripts import open_shell, steps
from tests.ports import free_port

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

PAGE = ROOT / "docs" / "tutorials" / "mcp-with-logins.md"
FILES = {"python": "archive.py", "toml": "arc.toml"}


def log_in(printed: str, user: str) -> str:
    """Open the link that was printed, press the button, and say who one is."""
    found = re.search(r"log in at (\S+)", printed)
    assert found is not None
    with httpx2.Client(follow_redirects=True, timeout=60) as browser:
        consent = browser.post(browser.get(found[1]).url)
        return browser.post(consent.url, data={"user": user}).text


def test_the_tutorial_goes_the_whole_way(tmp_path: Path) -> None:
    """Each command is typed in order, and the person logs in when the link has been printed."""
    page = PAGE.read_text("utf-8")
    for port in ("8010", "8020"):
        page = page.replace(port, str(free_port()))
    for block in blocks(page):
        if block.language in FILES:
            (tmp_path / FILES[block.language]).write_text(block.text, "utf-8")
    known = {name: value for name, value in os.environ.items() if not name.endswith("_API_KEY")}
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    environment = {**known, "PATH": path, "HOME": str(tmp_path)}

    with open_shell(tmp_path, environment) as shell:
        for step in steps(page):
            printed = shell.follow(step)
            if step.command.startswith("arc run --user ann") and "log in at" in printed:
                assert "What waited for this login goes on." in log_in(printed, "ann")

    log = (tmp_path / "background.log").read_text("utf-8")
    said = [block.text for block in blocks(page) if not block.language]
    assert said
    assert [text for text in said if text not in log] == []
