"""Documents in front of a question, and the question without them."""

from hypothesis import given
from hypothesis import strategies as st

from arc_core.messages.content import Attachment, Text
from arc_core.messages.retrieved_context import put_before, question_in

IMAGE = Attachment("image/png", data=b"\x89PNG")


@given(st.text().filter(lambda text: "[Question]" not in text), st.text(min_size=1))
def test_a_question_is_found_behind_its_documents(question: str, context: str) -> None:
    """Whatever the documents say."""
    found = put_before(question, context)

    assert isinstance(found, str)
    assert question_in(found) == question


def test_without_documents_nothing_changes() -> None:
    """Neither a text nor parts."""
    assert put_before("How high?", "") == "How high?"
    assert put_before((Text("How high?"), IMAGE), "") == (Text("How high?"), IMAGE)


def test_documents_stand_before_attachments() -> None:
    """As a part of their own."""
    documents = Text("[Retrieved Context]\nFacts.\n\n[Question]\n")

    assert put_before((IMAGE, Text("What is it?")), "Facts.") == (
        documents, IMAGE, Text("What is it?"),
    )  # fmt: skip


def test_a_question_alone_is_the_question() -> None:
    """A text that no documents stand before is left as it is."""
    assert question_in("a\n\n[Question]\nb") == "a\n\n[Question]\nb"
