"""HTML becomes sections of text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arc_core.retrieval.files import html_sections
from arc_core.retrieval.passages import DocumentSection


def sections(page: str) -> list[DocumentSection]:
    """Those with a text."""
    return [section for section in html_sections(page) if section.text]


def test_headings_and_title_become_headings() -> None:
    """The title stands above all others."""
    page = "<title>Site</title><h1>A <b>b</b></h1><p>one</p><h2>C</h2>two"

    assert sections(page) == [
        DocumentSection(("Site", "A b"), "one"),
        DocumentSection(("Site", "A b", "C"), "two"),
    ]


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("<p>one</p><p>t<em>w</em>o</p>", "one\n\ntwo"),
        ("a<br>b &amp; &#49436;&#50872;", "a\nb & 서울"),
        ("<tr><td>a</td><td>b</td></tr>", "a b"),
        ("a<script>if (x<b) no()</script><style>p{}</style><template><p>no</p></template>b", "ab"),
        ("<!-- no --><p>unclosed <b>tags", "unclosed tags"),
    ],
)
def test_text_reads_as_it_is_shown(page: str, text: str) -> None:
    """Paragraphs and lines apart, words together, and nothing that is not for people."""
    assert [section.text for section in sections(page)] == [text]


def test_markup_that_cannot_be_read_is_said() -> None:
    """The parser of the library gives up at such a declaration."""
    with pytest.raises(ValueError, match="markup"):
        sections("<p>a</p><![odd[x]]>")


@given(st.text(alphabet=st.sampled_from("<>/![-]&;#\"'=h1pscript 서a"), max_size=60))
def test_a_broken_page_raises_nothing_else(page: str) -> None:
    """Whatever is fed to it, it gives sections or the one error."""
    try:
        result = sections(page)
    except ValueError:
        return

    assert all(section.text == section.text.strip() for section in result)
