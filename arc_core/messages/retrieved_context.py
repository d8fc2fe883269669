"""Retrieved documents, put in front of the question they were retrieved for.

The engine puts them there, so that a request begins like the one before; a chat model that reads
the question itself takes them off again. They are not stored with the conversation.
"""

from arc_core.messages.content import Content, Text

HEADING = "[Retrieved Context]"

_QUESTION = "\n\n[Question]\n"


def put_before(content: Content, context: str) -> Content:
    """Return the content of a user with documents in front; unchanged if there are none."""
    if not context:
        return content
    documents = f"{HEADING}\n{context}{_QUESTION}"
    return documents + content if isinstance(content, str) else (Text(documents), *content)


def question_in(text: str) -> str:
    """The text of a user message without the documents that `put_before` has put in front."""
    if not text.startswith(HEADING):
        return text
    return text.rpartition(_QUESTION)[2]
