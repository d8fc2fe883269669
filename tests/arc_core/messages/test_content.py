"""Attachments know what they are, or are refused by name."""

import os
import tracemalloc
from pathlib import Path

import pytest

from arc_core import Attachment
from arc_core.messages.content import MAX_ATTACHMENT_BYTES, AttachmentError
from arc_core.settings import LlmSettings

PNG = b"\x89PNG\r\n\x1a\n" + b"\x00" * 8
SECRET = "p4ssw0rd"


@pytest.mark.parametrize(
    ("data", "name", "media_type"),
    [
        (PNG, None, "image/png"),
        (PNG, "photo.jpg", "image/png"),
        (b"\xff\xd8\xff\xe0", None, "image/jpeg"),
        (b"GIF89a", None, "image/gif"),
        (b"RIFF\x00\x00\x00\x00WEBPVP8 ", None, "image/webp"),
        (b"RIFF\x00\x00\x00\x00WAVEfmt ", None, "audio/wav"),
        (b"%PDF-1.7", "x", "application/pdf"),
        (b"ID3\x04", None, "audio/mpeg"),
        (b"\xff\xfb\x90d", None, "audio/mpeg"),
        (b"\x00\x00\x00\x18ftypheic", None, "image/heic"),
        ("안녕".encode(), "notes.TXT", "text/plain"),
        (b"a,b", "table.csv", "text/csv"),
        (b"\xff\xfex\x00", "old.aac", "audio/aac"),
    ],
)
def test_the_media_type_is_in_the_bytes_or_else_in_the_name(
    data: bytes, name: str | None, media_type: str
) -> None:
    """A name may lie, and bytes seldom do."""
    assert Attachment.from_bytes(data, name=name).media_type == media_type


@pytest.mark.parametrize(
    ("data", "name", "problem"),
    [
        (b"", "photo.png", "it is empty"),
        (b"hello", None, "neither its bytes nor its name tell what it is"),
        (b"PK\x03\x04", "report.docx", "neither its bytes nor its name tell what it is"),
        (b"RIFF\x00\x00\x00\x00AVI ", None, "neither its bytes nor its name tell what it is"),
        (b"\xff\xfea\x00", "notes.txt", "its name says text, and it is not UTF-8"),
    ],
)
def test_what_cannot_be_told_is_refused(data: bytes, name: str | None, problem: str) -> None:
    """A model would be handed what it does not take."""
    with pytest.raises(AttachmentError, match=problem):
        Attachment.from_bytes(data, name=name)


def test_a_media_type_may_be_given() -> None:
    """For what Arc does not know and a model does."""
    assert Attachment.from_bytes(b"PK", media_type="Application/Zip").media_type == (
        "application/zip"
    )


@pytest.mark.parametrize(
    "media_type", ["png", "image/", "/png", "a/b/c", "image/png; q=1", "", "이/a"]
)
def test_a_given_media_type_must_be_one(media_type: str) -> None:
    """Otherwise the vendor would refuse the request."""
    with pytest.raises(AttachmentError, match="is not a media type; pass media_type="):
        Attachment.from_bytes(PNG, media_type=media_type)


def test_a_file_is_read(tmp_path: Path) -> None:
    """With its name, and without its folder."""
    file = tmp_path / "photo.png"
    file.write_bytes(PNG)

    assert Attachment.from_path(file) == Attachment("image/png", data=PNG, name="photo.png")
    assert Attachment.from_path(str(file)) == Attachment.from_path(file)


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("missing.png", r"it cannot be read \(FileNotFoundError\)"),
        ("folder", "it is not a file"),
        ("pipe", "it is not a file"),
        ("empty.png", "it is empty"),
        ("null\x00.png", r"it cannot be read \(ValueError\)"),
    ],
)
def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, name: str, problem: str) -> None:
    """With what is wrong and what to do; a pipe is not waited for."""
    (tmp_path / "folder").mkdir()
    (tmp_path / "empty.png").touch()
    os.mkfifo(tmp_path / "pipe")

    with pytest.raises(AttachmentError, match=problem):
        Attachment.from_path(tmp_path / name)


@pytest.mark.parametrize(
    ("path", "remedy"),
    [
        (f"https://ann:{SECRET}@example.com/photo.png", "or use Attachment.from_url"),
        (Path(f"https://ann:{SECRET}@example.com/photo.png"), "use Attachment.from_url"),
        (f"data:image/png;base64,{SECRET}", "use Attachment.from_bytes"),
    ],
)
def test_an_address_is_not_a_path(path: str | Path, remedy: str) -> None:
    """What may be secret in it is not printed."""
    with pytest.raises(AttachmentError, match=remedy) as caught:
        Attachment.from_path(path)

    assert SECRET not in str(caught.value)


def test_of_a_long_name_the_end_is_shown() -> None:
    """A text that was taken for a path would fill the screen."""
    with pytest.raises(AttachmentError) as caught:
        Attachment.from_path("a" * 5000 + ".png")

    assert len(str(caught.value)) < 250


@pytest.mark.parametrize(
    ("url", "media_type", "name"),
    [
        ("https://example.com/a/photo.png?size=9", "image/png", "photo.png"),
        ("http://example.com/r%C3%A9sum%C3%A9.PDF", "application/pdf", "résumé.PDF"),
    ],
)
def test_an_address_tells_its_media_type(url: str, media_type: str, name: str) -> None:
    """By the end of its path; nothing is fetched."""
    assert Attachment.from_url(url) == Attachment(media_type, url=url, name=name)


@pytest.mark.parametrize(
    ("url", "problem"),
    [
        ("data:image/png;base64,AAAA", "it is a data: URL; use Attachment.from_bytes"),
        ("file:///etc/passwd.txt", "vendors fetch http and https only"),
        ("photo.png", "vendors fetch http and https only"),
        ("https:///photo.png", "vendors fetch http and https only"),
        ("https://[::1/photo.png", "it is not an address"),
        ("https://ann:a/b@example.com/photo.png", "it is not an address"),
        ("https://example.com/photo", "its end does not tell what it is"),
        ("https://example.com/a b.png", "it holds characters that addresses do not have"),
        ("https://example.com\\a.png", "it holds characters that addresses do not have"),
        ("https://example.com/\x00.png", "it holds characters that addresses do not have"),
    ],
)
def test_an_address_that_no_vendor_could_fetch_is_refused(url: str, problem: str) -> None:
    """Before a request is made of it."""
    with pytest.raises(AttachmentError, match=problem):
        Attachment.from_url(url)


@pytest.mark.parametrize(
    "url",
    [
        f"https://ann:{SECRET}@example.com/photo.png",
        f"https://{SECRET}@example.com/photo.png",
        f"https://ann:a {SECRET}@example.com/photo.png",
        f"https://ann:a\n{SECRET}@example.com/photo.png",
        f"https://ann:a/{SECRET}@example.com/photo.png",
        f"HTTPS://ann:{SECRET}\\@example.com/photo.png",
    ],
)
def test_credentials_are_never_shown(url: str) -> None:
    """Neither by the error nor by the `repr` of an attachment that was made without a check."""
    shown = repr(Attachment("image/png", url=url))
    try:
        shown += repr(Attachment.from_url(url))
    except AttachmentError as error:
        shown += f"{error} {error!r} {vars(error)}"

    assert SECRET not in shown


@pytest.mark.parametrize("credentials", ["ann:pw@", "ann@", ":@", "@"])
def test_an_address_with_credentials_is_refused(credentials: str) -> None:
    """The vendor would be told them."""
    with pytest.raises(AttachmentError, match="it holds credentials"):
        Attachment.from_url(f"https://{credentials}example.com/photo.png")


def test_a_token_in_a_query_is_not_shown() -> None:
    """Links to files in clouds are signed there."""
    attachment = Attachment.from_url(f"https://example.com/photo.png?sig={SECRET}")

    assert SECRET not in repr(attachment)
    assert SECRET in (attachment.url or "")


def test_repr_does_not_show_megabytes() -> None:
    """Errors and logs show attachments."""
    attachment = Attachment("image/png", data=bytes(10**6), name="photo.png")

    assert repr(attachment) == "Attachment('image/png', data=<1000000 bytes>, name='photo.png')"


def test_no_more_of_a_file_is_read_than_may_be_attached(tmp_path: Path) -> None:
    """A file of any size is refused at once, with the bound and what to do."""
    file = tmp_path / "huge.txt"
    file.write_text("word ")
    os.truncate(file, 100_000_000)

    tracemalloc.start()
    with pytest.raises(AttachmentError, match="more than 1000 bytes") as told:
        Attachment.from_path(file, max_bytes=1_000)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert most < 1_000_000
    assert "llm.max_attachment_bytes" in str(told.value)


def test_a_file_as_large_as_may_be_is_attached(tmp_path: Path) -> None:
    """The bound is that of a run."""
    file = tmp_path / "ten.txt"
    file.write_text("0123456789")

    assert Attachment.from_path(file, max_bytes=10).data == b"0123456789"
    assert LlmSettings().max_attachment_bytes == MAX_ATTACHMENT_BYTES
