"""The page about serving."""

import re
from typing import Any

from tests.architecture.source import ROOT
from tests.serving import client_of, serving

PAGE = ROOT / "docs/serving.md"
BLOCK = re.compile("```python\n(.*?)```", re.DOTALL)


async def test_the_surface_of_the_page_answers() -> None:
    """A protocol of one's own, as it stands there."""
    programs = BLOCK.findall(PAGE.read_text(encoding="utf-8"))
    code = next(each for each in programs if "class PlainTextSurface" in each)
    names: dict[str, Any] = {}
    exec(compile(code, str(PAGE), "exec"), names)

    async with (
        serving("Hello there.", register=[names["PlainTextSurface"]]) as address,
        client_of(address) as client,
    ):
        response = await client.post("/plain", content=b"Hi")

    assert response.text == "Hello there."
