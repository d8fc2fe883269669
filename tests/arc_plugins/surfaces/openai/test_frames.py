"""JSON as both APIs answer with it."""

import json

from hypothesis import given
from hypothesis import strategies as st

from arc_plugins.surfaces.openai.frames import Template


@given(st.text(), st.integers(min_value=0))
def test_a_filled_template_is_the_json_of_its_values(text: str, number: int) -> None:
    """Whatever the text is."""
    written = json.dumps({"a": 987_654, "b": [{"c": "the mark"}], "d": 1}).encode()
    template = Template(written, 987_654, "the mark")

    assert json.loads(template.fill(number, text)) == {"a": number, "b": [{"c": text}], "d": 1}
