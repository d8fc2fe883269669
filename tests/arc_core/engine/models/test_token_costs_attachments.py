"""Tokens of attachments."""

import pytest

from arc_core import Attachment
from arc_core.engine.models.token_costs import tokens_of_attachment
from tests.attached_files import png


@pytest.mark.parametrize(
    ("width", "height", "tokens"),
    [
        (100, 100, 255),  # one tile
        (1000, 1000, 1334),  # a million pixels, at 750 a token
        (1024, 1024, 1399),
        (4000, 3000, 2459),  # 1568 by 1176
        (20_000, 10, 765),  # 2048 by 1, in tiles
    ],
)
def test_an_image_costs_what_its_pixels_do(width: int, height: int, tokens: int) -> None:
    """With the vendor that counts more."""
    assert tokens_of_attachment(Attachment("image/png", png(width, height))) == tokens


@pytest.mark.parametrize(
    ("attachment", "tokens"),
    [
        (Attachment("image/png", url="https://a.example/cat.png"), 1600),
        (Attachment("image/png", b"what"), 1600),
        (Attachment("application/pdf", b"%PDF /Type /Pages /Type /Page /Type/Page"), 4000),
        (Attachment("application/pdf", b"%PDF" + bytes(250_000)), 6000),
        (Attachment("application/pdf", url="https://a.example/a.pdf"), 20_000),
        (Attachment("audio/mpeg", bytes(16_000)), 11),
        (Attachment("application/json", b"[1,2,3]"), 4),
    ],
)
def test_others_are_estimated(attachment: Attachment, tokens: int) -> None:
    """By pages, seconds or bytes; an address tells none of them."""
    assert tokens_of_attachment(attachment) == tokens
