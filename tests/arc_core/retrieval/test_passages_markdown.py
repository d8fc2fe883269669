"""Markdown is cut at its headings."""

from arc_core.retrieval.passages import DocumentSection, markdown_sections


def sections(text: str) -> list[DocumentSection]:
    """Those with a text."""
    return [section for section in markdown_sections(text) if section.text.strip()]


def test_a_section_knows_the_headings_above_it() -> None:
    """Outermost first; a heading ends those of its level and below."""
    text = "before\n# A\none\n## B ##\ntwo\n# C\nthree"

    assert sections(text) == [
        DocumentSection((), "before"),
        DocumentSection(("A",), "one"),
        DocumentSection(("A", "B"), "two"),
        DocumentSection(("C",), "three"),
    ]


def test_a_comment_in_code_is_not_a_heading() -> None:
    """A fence is closed by one of its own kind that is as long."""
    text = "# A\n````sh\n# no\n```\n~~~~\n# no\n````\n# B\ntwo"

    assert [section.heading for section in sections(text)] == [("A",), ("B",)]


def test_a_hash_without_a_space_is_not_a_heading() -> None:
    """It is a tag, or the number of an issue."""
    assert sections("#tag\n#42") == [DocumentSection((), "#tag\n#42")]
