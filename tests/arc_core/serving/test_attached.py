"""What requests attach."""

import pytest

from arc_core import Attachment
from arc_core.serving import Problem, attached_address, attached_base64


def test_a_data_url_gives_its_bytes_and_its_media_type() -> None:
    """In base64 or as text, in small letters or not."""
    png = attached_address("DATA:image/png;base64,iVBORw0KGgo=", media_type=None, param="url")
    text = attached_address("data:text/plain,a%20b", media_type=None, name="a.txt", param="url")

    assert png == Attachment("image/png", data=b"\x89PNG\r\n\x1a\n")
    assert text == Attachment("text/plain", data=b"a b", name="a.txt")


def test_an_address_is_kept_as_it_is() -> None:
    """Arc does not fetch it."""
    found = attached_address("https://a.example/b.png", media_type=None, param="url")

    assert (found.url, found.data, found.media_type) == (
        "https://a.example/b.png",
        None,
        "image/png",
    )


@pytest.mark.parametrize("text", ["!!", "abc", "", "ä"])
def test_what_cannot_be_attached_is_refused_by_place(text: str) -> None:
    """What is not base64, and what has no bytes."""
    with pytest.raises(Problem) as caught:
        attached_base64(text, media_type="image/png", param="parts[0].url")

    assert (caught.value.status, caught.value.param) == (422, "parts[0].url")
    assert caught.value.message.startswith("parts[0].url")
