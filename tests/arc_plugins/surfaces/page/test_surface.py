"""The page and its files are served with a strict policy, to everyone, and nothing else is."""

import re
from importlib import resources

import pytest
from starlette.applications import Starlette
from starlette.routing import Mount

from arc_autoconfig import Application, ArcSettings
from tests.serving import KEY, client_of, serving, serving_app

DATA = resources.files("arc_plugins.surfaces.page").joinpath("data")
OF_OTHERS = {"highlight.js", "highlight-license.txt"}
NAMES = sorted({each.name for each in DATA.iterdir()} - OF_OTHERS)
_OTHER_HOST = re.compile(r"https?://(?!www\.w3\.org/2000/svg)[a-z]")
_ASKED = r'(?:href|src)="page/([\w.]+)"|from "\./([\w.]+)"|new URL\("([\w.]+)"'
_MARKUP = re.compile(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function")


async def test_the_page_needs_no_key() -> None:
    """It is the page that asks for one."""
    server = {"api_keys": [{"name": "ann", "key": KEY}]}
    async with serving(server=server) as address, client_of(address) as client:
        names = "app.js", "icon.svg", "highlight-license.txt"
        found = [await client.get(path) for path in ("/", *(f"/page/{each}" for each in names))]

    types = [each.headers["content-type"].partition(";")[0] for each in found]
    assert [each.status_code for each in found] == [200] * 4
    assert types == ["text/html", "text/javascript", "image/svg+xml", "text/plain"]


async def test_the_policy_is_strict() -> None:
    """No scripts but its own, no frames, no other hosts."""
    async with serving() as address, client_of(address) as client:
        headers = (await client.get("/")).headers

    policy = headers["content-security-policy"]
    for rule in (
        "default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'",
        "img-src 'self' data: blob:", "frame-ancestors 'none'", "base-uri 'none'",
        "form-action 'none'", "worker-src 'self'", "trusted-types arc-colours",
        "require-trusted-types-for 'script'",
    ):  # fmt: skip
        assert rule in policy
    assert "unsafe" not in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"


@pytest.mark.parametrize(
    "path", ["/page/none.js", "/page/../surface.py", "/page/%2e%2e%2fsurface.py", "/page/", "/x"]
)
async def test_nothing_else_is_served(path: str) -> None:
    """Least of all what lies beside the files."""
    async with serving() as address, client_of(address) as client:
        response = await client.get(path)

    assert response.status_code == 404


@pytest.mark.parametrize("name", NAMES)
def test_files_name_no_other_host_and_make_no_markup(name: str) -> None:
    """The page works offline, and what a model says becomes text."""
    text = DATA.joinpath(name).read_text("utf-8")

    assert not _MARKUP.search(text)
    assert not _OTHER_HOST.search(text)


def test_files_are_those_that_the_page_asks_for() -> None:
    """None is missing, and none is left over."""
    asked = {("index.html",)}
    for name in NAMES:
        text = DATA.joinpath(name).read_text("utf-8")
        asked |= set(re.findall(_ASKED, text))

    assert {"".join(each) for each in asked} == {*NAMES, "highlight.js"}


async def test_the_page_can_be_mounted() -> None:
    """Its files are asked for below the place where it is, without a key as well."""
    settings = ArcSettings(_isolated=True, server={"api_keys": [{"name": "ann", "key": KEY}]})
    agents = Application(settings, plugins=False)
    async with (
        agents,
        serving_app(Starlette(routes=[Mount("/agents", agents.asgi())])) as address,
        client_of(address) as client,
    ):
        moved = await client.get("/agents")
        page = await client.get("/agents/")
        script = await client.get("/agents/page/app.js")

    assert moved.headers["location"].endswith("/agents/")
    assert (page.status_code, script.status_code) == (200, 200)
    assert 'src="page/app.js"' in page.text
