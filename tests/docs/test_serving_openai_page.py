"""The page about OpenAI's API lists what becomes of fields."""

import re

import pytest

from arc_plugins.surfaces.openai.fields import IGNORED, REFUSED
from tests.architecture.source import ROOT

_PARAGRAPHS = (ROOT / "docs/serving-openai.md").read_text("utf-8").split("\n\n")


@pytest.mark.parametrize(
    ("start", "names"),
    [("Null is as if", IGNORED), ("These ask for another answer", frozenset(REFUSED))],
)
def test_the_fields_are_those_of_the_code(start: str, names: frozenset[str]) -> None:
    """None is missing, and none too many."""
    (paragraph,) = [each for each in _PARAGRAPHS if each.startswith(start)]

    assert set(re.findall(r"`(\w+)`", paragraph)) == names
