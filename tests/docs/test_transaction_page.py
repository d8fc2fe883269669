"""The tutorial of services and transactions prints what it says."""

import os
import sys
from pathlib import Path

import pytest

from tests.architecture.source import ROOT
from tests.docs.pages import blocks
from tests.docs.transcripts import open_shell, steps

pytestmark = pytest.mark.slow

PAGE = ROOT / "docs" / "tutorials" / "a-transaction-per-run.md"
FILES = {"python": "shop.py", "toml": "arc.toml"}


def test_the_services_of_the_tutorial_are_wired(tmp_path: Path) -> None:
    """As `arc conditions` lists them there."""
    page = PAGE.read_text("utf-8")
    for block in blocks(page):
        if block.language in FILES:
            (tmp_path / FILES[block.language]).write_text(block.text, "utf-8")
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "HOME": str(tmp_path)}

    with open_shell(tmp_path, environment) as shell:
        printed = [shell.follow(step) for step in steps(page)]

    assert "shop.Orders" in printed[-1]
