"""Files are found and read."""

import os
from pathlib import Path

import pytest

from arc_core.retrieval.files import Found, UnreadableError, files_in, read_file


def file(folder: Path, name: str, content: bytes) -> Path:
    """A file with these bytes."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def test_a_folder_stands_for_its_readable_files(tmp_path: Path) -> None:
    """Those in folders below it, too; hidden ones and other kinds are passed by."""
    for name in ("b.md", "a/c.HTML", "d.txt", "e.pdf", ".hidden.md", ".git/f.md"):
        file(tmp_path, name, b"x")

    found = [each.path.relative_to(tmp_path).as_posix() for each in files_in([tmp_path])]

    assert found == ["b.md", "d.txt", "a/c.HTML"]


def test_a_loop_of_links_is_not_entered(tmp_path: Path) -> None:
    """A link to a folder above is not followed."""
    path = file(tmp_path, "docs/a.md", b"x")
    (tmp_path / "docs" / "again").symlink_to(tmp_path, target_is_directory=True)
    (tmp_path / "docs" / "dead.md").symlink_to(tmp_path / "nowhere.md")

    assert list(files_in([tmp_path])) == [Found(path, tmp_path)]


@pytest.mark.parametrize(
    "content", ["서울 날씨".encode(), "서울 날씨".encode("utf-8-sig"), "서울 날씨".encode("utf-16")]
)
def test_marked_encodings_are_read(tmp_path: Path, content: bytes) -> None:
    """UTF-8, and UTF-16 where it says so itself."""
    reading = read_file(Found(file(tmp_path, "a.txt", content)))

    assert [passage.text for passage in reading.passages] == ["서울 날씨"]
    assert reading.note is None


def test_a_few_broken_bytes_are_left_out(tmp_path: Path) -> None:
    """A long text is worth reading all the same; the note says how many."""
    reading = read_file(Found(file(tmp_path, "a.md", b"Seoul weather. \xff" + b"It rains. " * 50)))

    assert reading.passages[0].text.startswith("Seoul weather. It rains.")
    assert reading.note == "1 characters are not UTF-8 and were left out"


@pytest.mark.parametrize(
    ("name", "content", "cause"),
    [
        ("a.md", "서울 날씨 예보".encode("cp949"), "not UTF-8: convert it"),
        ("a.md", b"\x00\x01\x02", "not text"),
        ("a.md", b" \n", "no text in it"),
        ("a.pdf", b"%PDF", r"only \.md, .* files can be read"),
        ("a.html", b"<![odd[x]]>", "markup"),
    ],
)
def test_what_cannot_be_read_says_why(
    tmp_path: Path, name: str, content: bytes, cause: str
) -> None:
    """In words for the person who added it."""
    with pytest.raises(UnreadableError, match=cause):
        read_file(Found(file(tmp_path, name, content)))


def test_what_is_not_a_file_says_so(tmp_path: Path) -> None:
    """A pipe is not waited for, an empty folder and a wrong name are named."""
    os.mkfifo(tmp_path / "pipe.md")

    for name, cause in (("pipe.md", "a file"), ("gone.md", "not exist"), (".", "in this folder")):
        with pytest.raises(UnreadableError, match=cause):
            read_file(Found(tmp_path / name))


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path) -> None:
    """It would fill the memory."""
    path = file(tmp_path, "a.txt", b"")
    os.truncate(path, 32 * 1024 * 1024 + 1)

    with pytest.raises(UnreadableError, match="larger than 32 MB"):
        read_file(Found(path))


@pytest.mark.parametrize(
    ("target", "cause"),
    [
        ("secret.md", "out of the folder"),
        ("docs/.env", "to a hidden file"),
        ("docs/a/.git/config", "to a hidden file"),
    ],
)
def test_a_link_to_what_the_folder_does_not_offer_is_refused(
    tmp_path: Path, target: str, cause: str
) -> None:
    """A folder of a stranger's brings its own files and no others."""
    secret = file(tmp_path, target, b"swordfish")
    (tmp_path / "docs").mkdir(exist_ok=True)
    link = tmp_path / "docs" / "notes.md"
    link.symlink_to(secret)

    with pytest.raises(UnreadableError, match=cause):
        read_file(Found(link, tmp_path / "docs"))


def test_a_link_within_the_folder_is_read(tmp_path: Path) -> None:
    """Also when the folder itself is reached by a link."""
    file(tmp_path, "docs/a/b.md", b"Hello.")
    (tmp_path / "docs" / "c.md").symlink_to("a/b.md")
    (tmp_path / "linked").symlink_to(tmp_path / "docs", target_is_directory=True)

    found = {each.path.name: each for each in files_in([tmp_path / "linked"])}

    assert read_file(found["c.md"]).passages == read_file(found["b.md"]).passages


def test_a_link_that_is_named_itself_is_read(tmp_path: Path) -> None:
    """A person who names a file means it, even when a folder that is added holds it, too."""
    link = tmp_path / "docs" / "a.md"
    link.parent.mkdir()
    link.symlink_to(file(tmp_path, "b.md", b"Hello."))

    *_, named = files_in([link, link.parent])

    assert read_file(named).passages
