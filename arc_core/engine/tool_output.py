"""From what a tool returns to what the model reads."""

from pydantic_core import to_json

__all__ = ["UnreadableOutputError", "limited", "rendered"]


class UnreadableOutputError(Exception):
    """A tool returned what is neither text nor can become JSON."""


def rendered(value: object) -> str:
    """Text as it is, anything else as compact JSON.

    Half a character, as names of files may have, becomes a question mark: no vendor would take it.

    Raises:
        UnreadableOutputError: The value is neither.
    """
    if isinstance(value, str):
        return value.encode(errors="replace").decode()
    try:
        return to_json(value).decode()
    except ValueError as error:  # pydantic's serialisation errors are ValueErrors
        raise UnreadableOutputError(type(value).__name__) from error


def limited(text: str, *, max_chars: int) -> str:
    """The text, cut with a notice where it is longer than `max_chars`."""
    if len(text) <= max_chars:
        return text
    return f"{text[:max_chars]}\n[Output truncated: {max_chars} of {len(text)} characters]"
