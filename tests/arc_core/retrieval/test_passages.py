"""Documents become passages."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arc_core.retrieval.passages import DocumentSection, Passage, split_passages


def test_neighbours_below_one_heading_are_one_passage() -> None:
    """As long as they fit; a heading ends a passage."""
    sections = [
        DocumentSection(("Guide",), "One.\n\nTwo."),
        DocumentSection(("Guide", "More"), "Three."),
    ]

    passages = split_passages(sections)

    assert passages == [Passage("Guide", "One.\n\nTwo."), Passage("Guide > More", "Three.")]


def test_a_section_without_text_is_not_a_passage() -> None:
    """Headings alone answer nothing."""
    assert split_passages([DocumentSection(("Guide",), " \n\n ")]) == []


@pytest.mark.parametrize(
    ("sentence", "end"), [("It rains. ", "."), ("비가 온다. ", "."), ("雨が降る。", "。")]
)
def test_a_long_paragraph_is_cut_behind_a_sentence(sentence: str, end: str) -> None:
    """In every language that ends its sentences."""
    passages = split_passages([DocumentSection((), sentence * 400)])

    assert len(passages) > 1
    assert all(passage.text.endswith(end) for passage in passages)


@given(st.text(alphabet=st.sampled_from("ab서. \n。"), max_size=6000))
def test_nothing_is_lost_and_nothing_is_too_long(text: str) -> None:
    """Whatever the text is, its letters are in its passages, in their order."""
    passages = split_passages([DocumentSection((), text)])

    together = "".join(passage.text for passage in passages)
    assert "".join(together.split()) == "".join(text.split())
    assert all(0 < len(passage.text) <= 1_200 for passage in passages)
