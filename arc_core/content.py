"""What a person or a tool can say: text, and what is attached to it.

A text stays a plain `str`; only what has attachments is a tuple of parts.
"""

from dataclasses import dataclass

__all__ = ["Attachment", "Content", "Part", "Text", "attachments_of", "text_of"]


@dataclass(frozen=True, slots=True)
class Text:
    """Words between attachments."""

    text: str


@dataclass(frozen=True, slots=True)
class Attachment:
    """An image, a document or a sound; its bytes, or where a vendor finds them.

    Attributes:
        media_type: Such as `image/png`.
        data: The bytes; None if there is an address.
        url: An address that is handed to the vendor and never fetched by Arc; None if there are
            bytes.
        name: Of the file, for the model; None if it has none.
    """

    media_type: str
    data: bytes | None = None
    url: str | None = None
    name: str | None = None


Part = Text | Attachment
"""One piece of content."""

Content = str | tuple[Part, ...]
"""A text, or parts in their order."""


def text_of(content: Content) -> str:
    """The text of any content; what is attached adds nothing."""
    if isinstance(content, str):
        return content
    return "".join(part.text for part in content if isinstance(part, Text))


def attachments_of(content: Content) -> tuple[Attachment, ...]:
    """What is attached, in its order."""
    if isinstance(content, str):
        return ()
    return tuple(part for part in content if isinstance(part, Attachment))
