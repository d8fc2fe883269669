"""Media types of files, by their first bytes or else by their name.

Known are the kinds that vendors take: images, PDF, sounds, text.
"""

from pathlib import PurePosixPath

_BEGINNINGS = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"II*\x00", "image/tiff"),
    (b"MM\x00*", "image/tiff"),
    (b"%PDF-", "application/pdf"),
    (b"ID3", "audio/mpeg"),
    (b"\xff\xfb", "audio/mpeg"),  # frames of MP3, in files without ID3 in front
    (b"\xff\xfa", "audio/mpeg"),
    (b"\xff\xf3", "audio/mpeg"),
    (b"\xff\xf2", "audio/mpeg"),
    (b"OggS", "audio/ogg"),
    (b"fLaC", "audio/flac"),
)
_IN_RIFF = {b"WEBP": "image/webp", b"WAVE": "audio/wav"}
_IN_FTYP = {
    b"avif": "image/avif",
    b"heic": "image/heic",
    b"heix": "image/heic",
    b"mif1": "image/heif",
    b"M4A ": "audio/mp4",
}
_NAMES = {
    "aac": "audio/aac",
    "avif": "image/avif",
    "bmp": "image/bmp",
    "csv": "text/csv",
    "flac": "audio/flac",
    "gif": "image/gif",
    "heic": "image/heic",
    "heif": "image/heif",
    "htm": "text/html",
    "html": "text/html",
    "jpeg": "image/jpeg",
    "jpg": "image/jpeg",
    "json": "application/json",
    "log": "text/plain",
    "m4a": "audio/mp4",
    "markdown": "text/markdown",
    "md": "text/markdown",
    "mp3": "audio/mpeg",
    "ogg": "audio/ogg",
    "pdf": "application/pdf",
    "png": "image/png",
    "svg": "image/svg+xml",
    "tif": "image/tiff",
    "tiff": "image/tiff",
    "toml": "text/plain",
    "tsv": "text/tab-separated-values",
    "txt": "text/plain",
    "wav": "audio/wav",
    "webp": "image/webp",
    "xml": "application/xml",
    "yaml": "application/yaml",
    "yml": "application/yaml",
}
_TEXTS = {"application/json", "application/xml", "application/yaml", "image/svg+xml"}


def media_type_of_bytes(data: bytes) -> str | None:
    """The media type that the first bytes tell; None if they tell none."""
    for beginning, media_type in _BEGINNINGS:
        if data.startswith(beginning):
            return media_type
    if data.startswith(b"RIFF"):
        return _IN_RIFF.get(data[8:12])
    if data[4:8] == b"ftyp":
        return _IN_FTYP.get(data[8:12])
    return None


def media_type_of_name(name: str) -> str | None:
    """The media type that the end of a file's name tells; None if it tells none."""
    return _NAMES.get(PurePosixPath(name).suffix[1:].lower())


def is_text(media_type: str) -> bool:
    """Return if files of a media type are text."""
    return media_type.startswith("text/") or media_type in _TEXTS
