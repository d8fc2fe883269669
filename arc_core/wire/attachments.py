"""Attachments in the forms that vendors' APIs share."""

from base64 import b64encode

from arc_core.errors import AgentErrorCode, InvalidRequestError
from arc_core.messages.content import Attachment, Content, Text
from arc_core.messages.media_types import is_text as is_text

IMAGE_TYPES = frozenset({"image/gif", "image/jpeg", "image/png", "image/webp"})
"""The images that all vendors take."""

PDF = "application/pdf"


class AcceptsImagesAndPdf:
    """The files of a chat model whose vendor takes images and PDF, at an address too, and texts."""

    def accepts(self, media_type: str) -> bool:
        """Images, PDF and texts."""
        return media_type in (*IMAGE_TYPES, PDF) or is_text(media_type)

    def accepts_address(self, media_type: str) -> bool:
        """Of images and PDF."""
        return media_type in (*IMAGE_TYPES, PDF)


def encode_base64(attachment: Attachment) -> str:
    """The bytes in base64.

    Raises:
        InvalidRequestError: It has none, but an address, which the API does not take.
    """
    if attachment.data is None:
        raise unsendable(attachment)
    return b64encode(attachment.data).decode("ascii")


def data_url(attachment: Attachment) -> str:
    """The bytes as a `data:` address."""
    return f"data:{attachment.media_type};base64,{encode_base64(attachment)}"


def text_in(attachment: Attachment) -> str:
    """The bytes as UTF-8; what is not becomes U+FFFD."""
    if attachment.data is None:
        raise unsendable(attachment)
    return attachment.data.decode("utf-8", "replace")


def write_answer(content: Content) -> str:
    """The text of an answer for a vendor that takes no images from a model: a line for each."""
    if isinstance(content, str):
        return content
    return "".join(each.text if isinstance(each, Text) else name_image(each) for each in content)


def name_image(attachment: Attachment) -> str:
    """The line that stands for something that a model has made."""
    return f"\n[Generated here: {attachment.media_type}, which cannot be shown]\n"


def unsendable(attachment: Attachment) -> InvalidRequestError:
    """Make the error for an attachment that the API does not take in this form.

    The run ends with `INVALID_INPUT`.
    """
    form = "by its address" if attachment.data is None else "as bytes"
    name = attachment.name or "an attachment"
    error = InvalidRequestError(
        f"{name} ({attachment.media_type}) cannot be sent {form} through this API. "
        "To fix it: attach its bytes, or use a model that takes it"
    )
    error.code = AgentErrorCode.INVALID_INPUT
    return error
