"""Long texts are cut, and say so."""

from hypothesis import given
from hypothesis import strategies as st

from arc_core.messages.content import cut_text


@given(st.text(), st.integers(1, 50))
def test_long_text_is_cut_with_a_notice(text: str, most: int) -> None:
    """Up to the limit everything stays; beyond it the beginning stays and the rest is counted."""
    cut = cut_text(text, max_chars=most)

    if len(text) <= most:
        assert cut == text
    else:
        notice = f"\n[Output truncated: {most} of {len(text)} characters]"
        assert cut == text[:most] + notice
