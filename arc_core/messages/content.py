"""The content of messages and tool results: text, and attachments.

A text stays a plain `str`; only what has attachments is a tuple of parts.
"""

import os
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import SplitResult, unquote, urlsplit

from arc_core.error_base import ArcError
from arc_core.messages.media_types import is_text, media_type_of_bytes, media_type_of_name
from arc_core.text.addresses import cut_addresses

_NAME_THE_TYPE = "pass media_type=, such as 'image/png'"
_NAME_THE_FILE = "give it a name that tells it, such as photo.png, or pass media_type="
_MAX_NAME_CHARS = 100
_ANY_TYPE = "application/octet-stream"  # until a resource is read

MAX_ATTACHMENT_BYTES = 20_971_520
"""The default of `llm.max_attachment_bytes`."""


class AttachmentError(ArcError):
    """A file, some bytes or an address cannot be attached.

    Attributes:
        name: Of what was to be attached; an address without what may be secret in it.
        problem: What is wrong with it.
        remedy: What to do about it.
    """

    def __init__(self, name: str, *, problem: str, remedy: str) -> None:
        super().__init__(name)
        self.name, self.problem, self.remedy = name, problem, remedy

    def __str__(self) -> str:
        return f"{self.name} cannot be attached: {self.problem}; {self.remedy}"


@dataclass(frozen=True, slots=True)
class Text:
    """Words between attachments."""

    text: str


@dataclass(frozen=True, slots=True, repr=False)
class Attachment:
    """An image, a document or a sound; its bytes, or where a vendor finds them.

    Its `repr` shows how many bytes there are, and of an address no more than the server.

    Attributes:
        media_type: Such as `image/png`.
        data: The bytes; None if there is an address.
        url: An address that is handed to the vendor and never fetched by Arc, or that of a resource
            that a tool reads; None if there are bytes.
        name: Of the file, for the model; None if it has none.
    """

    media_type: str
    data: bytes | None = None
    url: str | None = None
    name: str | None = None

    @classmethod
    def from_path(
        cls,
        path: str | os.PathLike[str],
        *,
        media_type: str | None = None,
        max_bytes: int = MAX_ATTACHMENT_BYTES,
    ) -> "Attachment":
        """Read a file; blocks for as long as that takes.

        Args:
            path: Of the file, whose name the model is told.
            media_type: None takes what the first bytes tell, else what the name tells.
            max_bytes: No more than that is read; a larger file is refused. The default is that of
                `llm.max_attachment_bytes`, by which runs refuse what is larger.

        Raises:
            AttachmentError: It is an address, there is no such file, it cannot be read, is empty or
                too large, or nothing tells its media type.
        """
        _refuse_address(os.fspath(path))
        file = Path(path)
        try:
            data = _read(file, max_bytes + 1) if file.is_file() or not file.exists() else None
        except (OSError, ValueError) as error:
            raise AttachmentError(
                _shown_name(os.fspath(path)),
                problem=f"it cannot be read ({type(error).__name__})",
                remedy="name a file that is there and that Arc's user may read",
            ) from error
        if data is None:
            raise AttachmentError(
                _shown_name(os.fspath(path)), problem="it is not a file", remedy="name a file"
            )
        if len(data) > max_bytes:
            raise AttachmentError(
                _shown_name(os.fspath(path)),
                problem=f"it has more than {max_bytes} bytes",
                remedy="attach a smaller file, or pass max_bytes= and set llm.max_attachment_bytes",
            )
        return cls.from_bytes(data, media_type=media_type, name=file.name)

    @classmethod
    def from_bytes(
        cls, data: bytes, *, media_type: str | None = None, name: str | None = None
    ) -> "Attachment":
        """Attach bytes.

        Args:
            data: The whole file.
            media_type: None takes what the first bytes tell, else what the name tells.
            name: Of the file, for the model.

        Raises:
            AttachmentError: There are no bytes, or nothing tells their media type.
        """
        shown = "the data" if name is None else _shown_name(name)
        if not data:
            raise AttachmentError(shown, problem="it is empty", remedy="attach a file with content")
        if media_type is not None:
            return cls(_check_type(media_type, shown), data=bytes(data), name=name)
        return cls(_find_type(data, name, shown), data=bytes(data), name=name)

    @classmethod
    def from_url(
        cls, url: str, *, media_type: str | None = None, name: str | None = None
    ) -> "Attachment":
        """Attach what a vendor finds at an address; Arc does not fetch it.

        Args:
            url: Of http or https.
            media_type: None takes what the end of the address's path tells, or the name.
            name: Of the file, for the model; None takes the last piece of the path.

        Raises:
            AttachmentError: The vendor could not fetch it, there are credentials in it, or nothing
                tells the media type. No credentials are shown.
        """
        parts = _split_address(url)
        name = name or unquote(parts.path.rpartition("/")[2]) or None
        shown = _shown_address(url)
        found = media_type or media_type_of_name(parts.path) or media_type_of_name(name or "")
        if found is None:
            raise AttachmentError(
                shown, problem="its end does not tell what it is", remedy=_NAME_THE_TYPE
            )
        return cls(_check_type(found, shown), url=url, name=name)

    @classmethod
    def from_resource(cls, address: str, *, name: str | None = None) -> "Attachment":
        """Attach a resource that a tool of the agent reads when the run begins.

        Args:
            address: With its place, as in `mcp://files/file:///notes.txt`.
            name: For the model; None takes the last piece of the address.

        Raises:
            AttachmentError: It is not an address, or one that a vendor fetches.
        """
        found = cls(_ANY_TYPE, url=address, name=name)
        if is_resource(found) and "://" in address and address.isprintable():
            return found
        raise AttachmentError(
            _shown_address(address),
            problem="it is not the address of a resource",
            remedy="write mcp://SERVER/ADDRESS, or use Attachment.from_url",
        )

    def __repr__(self) -> str:
        shown = [repr(self.media_type)]
        if self.data is not None:
            shown.append(f"data=<{len(self.data)} bytes>")
        if self.url is not None:
            shown.append(f"url={_shown_address(self.url)!r}")
        if self.name is not None:
            shown.append(f"name={self.name!r}")
        return f"Attachment({', '.join(shown)})"


def is_resource(attachment: Attachment) -> bool:
    """Return True if a tool is to read an attachment: its address is not for vendors."""
    url = attachment.url
    return (
        isinstance(url, str)
        and not attachment.data
        and not url.lower().startswith(("http:", "https:", "data:"))
    )


Part = Text | Attachment
"""One piece of content."""

Content = str | tuple[Part, ...]
"""A text, or parts in their order."""


def get_text(content: Content) -> str:
    """Return the text of any content, without its attachments."""
    if isinstance(content, str):
        return content
    return "".join(part.text for part in content if isinstance(part, Text))


def get_attachments(content: Content) -> tuple[Attachment, ...]:
    """Return the attachments in their order."""
    if isinstance(content, str):
        return ()
    return tuple(part for part in content if isinstance(part, Attachment))


def _read(file: Path, size: int) -> bytes:
    with file.open("rb") as opened:
        return opened.read(size)


def _find_type(data: bytes, name: str | None, shown: str) -> str:
    found = media_type_of_bytes(data) or media_type_of_name(name or "")
    if found is None:
        raise AttachmentError(
            shown, problem="neither its bytes nor its name tell what it is", remedy=_NAME_THE_FILE
        )
    if is_text(found) and not _is_utf_8(data):
        raise AttachmentError(
            shown, problem="its name says text, and it is not UTF-8", remedy="convert it to UTF-8"
        )
    return found


def _refuse_address(path: str) -> None:
    """See that a path is none of what is fetched, which may hold what is secret."""
    start = path.lower()
    if start.startswith(("http:/", "https:/")):  # of two, a `Path` keeps one
        raise AttachmentError(
            _shown_address(path),
            problem="it is not a file",
            remedy="save it in one, or use Attachment.from_url",
        )
    if start.startswith("data:"):
        raise AttachmentError(
            "the address",
            problem="it is a data: URL",
            remedy="save its bytes in a file, or use Attachment.from_bytes",
        )


def _shown_name(name: str) -> str:
    return repr(name if len(name) <= _MAX_NAME_CHARS else f"…{name[-_MAX_NAME_CHARS:]}")


def _is_utf_8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _check_type(media_type: str, shown: str) -> str:
    kind, slash, subtype = media_type.partition("/")
    is_known = slash and kind and subtype and media_type.isascii() and media_type.isprintable()
    if not is_known or "/" in subtype or any(sign in media_type for sign in ' ;,"'):
        raise AttachmentError(
            shown, problem=f"{media_type!r} is not a media type", remedy=_NAME_THE_TYPE
        )
    return media_type.lower()


def _split_address(url: str) -> SplitResult:
    """The parts of an address that a vendor may be handed."""
    shown, problem, remedy = _shown_address(url), None, "give an address of http or https"
    try:
        parts = urlsplit(url)
        has_host = bool(parts.hostname) and parts.port != 0  # `port` raises if it is not a number
    except ValueError:
        raise AttachmentError(shown, problem="it is not an address", remedy=remedy) from None
    if parts.scheme == "data":
        problem, remedy = "it is a data: URL", "use Attachment.from_bytes for its bytes"
    elif parts.scheme not in {"http", "https"} or not has_host:
        problem = "vendors fetch http and https only"
        remedy = "give such an address, or use Attachment.from_path for a file"
    elif "@" in parts.netloc:
        problem = "it holds credentials, which the vendor would be told"
        remedy = "attach the bytes, or give an address without user and password"
    elif not url.isascii() or not url.isprintable() or " " in url or "\\" in url:
        problem, remedy = "it holds characters that addresses do not have", "write them as %XX"
    if problem is not None:
        raise AttachmentError(shown, problem=problem, remedy=remedy)
    return parts


def _shown_address(url: str) -> str:
    """Return as much of an address as may be shown; a blank may stand in a password."""
    is_plain = "://" in url and url.isprintable() and " " not in url
    return cut_addresses(url) if is_plain else "the address"


def cut_text(text: str, *, max_chars: int) -> str:
    """The text, cut with a notice if it is longer than `max_chars`."""
    if len(text) <= max_chars:
        return text
    return f"{text[:max_chars]}\n[Output truncated: {max_chars} of {len(text)} characters]"
