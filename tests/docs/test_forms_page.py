"""The page of JSON forms lists what there is."""

import pytest

from arc_core.forms.table import FORMS
from tests.architecture.source import ROOT

PAGE = (ROOT / "docs" / "forms.md").read_text("utf-8")


@pytest.mark.parametrize("tag", FORMS)
def test_every_form_is_listed_with_its_keys(tag: str) -> None:
    """In the order in which they are written."""
    row = next(line for line in PAGE.splitlines() if line.startswith(f"| `{tag}` |"))

    keys = [word for word in row.split("|")[2].split("`")[1::2] if word in FORMS[tag].kinds]
    assert keys == list(FORMS[tag].kinds)
