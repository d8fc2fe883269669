"""The page of the support desk's customers, which the AI SDK drives, beside Arc's own page."""

import re
import shutil
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from arc_autoconfig import Application, ArcSettings
from tests.arc_plugins.postgres_server import database_at, execute
from tests.architecture.source import ROOT
from tests.serving import serving_app

pytestmark = [pytest.mark.slow, pytest.mark.asyncio(loop_scope="session")]

EXAMPLES = ROOT / "examples"
FOLDER = EXAMPLES / "support_desk"
MODULES = ("agents", "demo_model", "orders", "page_surface")
SIZES = [{"width": 1280, "height": 860}, {"width": 390, "height": 844}]
_WIDER = "document.scrollingElement.scrollWidth - document.documentElement.clientWidth"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The desk with its page, as `make` builds it; skips the test if npm is not there."""
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("npm is not installed, which builds the page")
    folder = tmp_path_factory.mktemp("desk")
    for name in ("company_starter/globex_arc", "support_desk/support_desk", "support_desk/web"):
        ignored = shutil.ignore_patterns("node_modules")
        shutil.copytree(EXAMPLES / name, folder / Path(name).name, ignore=ignored)
    install = [npm, "install", "--no-package-lock", "--no-audit", "--no-fund", "--silent"]
    for command in (install, [npm, "run", "build"]):
        done = subprocess.run(command, cwd=folder / "web", capture_output=True, check=False)
        if done.returncode:
            pytest.skip("npm cannot install what builds the page")
    return folder


@pytest.fixture
def desk(postgres: str, built: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Application]:
    """The desk in one process, with a bank that takes no time."""
    monkeypatch.syspath_prepend(built)
    monkeypatch.setattr("support_desk.agents.BANK_S", 0)
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    written = re.sub(r"\$\{\w+:-(.*?)\}", r"\1", (FOLDER / "arc.toml").read_text("utf-8"))
    settings = tomllib.loads(written)
    with database_at(postgres) as url:
        execute(url, (FOLDER / "support_desk" / "schema.sql").read_text("utf-8"))
        loaded = [f"support_desk.{name}" for name in MODULES] + ["globex_arc.handbook"]
        settings |= {"durable": {"enabled": True, "url": url, "work": True}}
        settings |= {"plugins": {"load": loaded}}
        del settings["conversation"], settings["profiles"]
        yield Application(ArcSettings(_isolated=True, **settings))


@pytest.mark.parametrize("size", SIZES, ids=["wide", "phone"])
async def test_a_refund_is_approved_elsewhere_and_the_page_goes_on(
    desk: Application, visiting: Any, size: dict[str, int]
) -> None:
    """Ann asks on her page, Carol approves on Arc's, and Ann reads the answer without a click."""
    async with (
        serving_app(desk.asgi()) as address,
        visiting(address, path="/desk/", viewport=size) as ann,
        visiting(address, viewport=size) as carol,
    ):
        await ann.page.get_by_label("Your key").fill("the-key-of-ann-0000")
        await ann.page.get_by_role("button", name="Sign in").click()
        await ann.ask("Order 17 came broken, please refund 120 EUR")
        await ann.page.get_by_text("A colleague looks at the refund of 120 EUR").wait_for()
        await carol.page.get_by_label("Key", exact=True).fill("the-key-of-carol-00")
        dialog = carol.page.get_by_role("dialog")
        await dialog.get_by_role("button", name="Sign in").click()
        await carol.page.get_by_role("link", name="Waiting").click()
        await carol.page.locator(".request-list").get_by_role("button", name="Approve").click()
        await ann.page.get_by_text("120.00 EUR were paid back for order 17.").wait_for()

        assert await ann.page.evaluate(_WIDER) <= 0
        assert [each for each in ann.complaints if "AutoComplete" not in each] == []
