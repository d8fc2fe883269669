"""How many tokens an attachment costs, of those that are not plain text.

An image costs what it costs with the vendor that counts more for its size: Anthropic counts a token
for 750 pixels after shrinking it to 1568 pixels a side, OpenAI 85 tokens and 170 for each tile of
512 pixels, after shrinking it to 2048 pixels a side and 768 the shorter one. The others are
estimated: 2,000 tokens a page of a PDF, 10 a second of sound at 128 kilobits a second, and one for
two bytes of anything else, such as JSON.
"""

from arc_core.engine.models.image_sizes import size_of_image
from arc_core.messages.content import Attachment

__all__ = ["tokens_of_attachment"]

_TOKENS_OF_AN_UNKNOWN_IMAGE = 1600
_TOKENS_A_PAGE = 2000
_PAGES_OF_AN_UNKNOWN_PDF = 10
_BYTES_A_PAGE = 100_000
_BYTES_OF_TEXT_A_TOKEN = 2
_BYTES_OF_SOUND_A_TOKEN = 1600


def tokens_of_attachment(attachment: Attachment) -> int:
    """What it costs, rather too much than too little."""
    data, kind = attachment.data, attachment.media_type.partition("/")[0]
    if kind == "image":
        size = None if data is None else size_of_image(data)
        return _TOKENS_OF_AN_UNKNOWN_IMAGE if size is None else _tokens_of_image(*size)
    if kind == "audio":
        return len(data or b"") // _BYTES_OF_SOUND_A_TOKEN + 1
    if attachment.media_type == "application/pdf":
        return _TOKENS_A_PAGE * (_PAGES_OF_AN_UNKNOWN_PDF if data is None else _pages_of(data))
    return len(data or b"") // _BYTES_OF_TEXT_A_TOKEN + 1


def _tokens_of_image(width: int, height: int) -> int:
    shrunk = _shrink(width, height, longer=1568)
    by_pixels = -(-shrunk[0] * shrunk[1] // 750)
    tiles = [-(-side // 512) for side in _shrink(width, height, longer=2048, shorter=768)]
    return max(by_pixels, 85 + 170 * tiles[0] * tiles[1])


def _shrink(width: int, height: int, *, longer: int, shorter: int | None = None) -> tuple[int, int]:
    scale = min(1.0, longer / max(width, height))
    if shorter is not None:
        scale = min(scale, shorter / min(width, height))
    return max(1, round(width * scale)), max(1, round(height * scale))


def _pages_of(data: bytes) -> int:
    """The pages that a PDF names in the open; what is packed is estimated by its size."""
    names = (b"/Type/Page", b"/Type /Page")
    pages = sum(data.count(name) - data.count(name + b"s") for name in names)
    return pages if pages > 0 else len(data) // _BYTES_A_PAGE + 1
