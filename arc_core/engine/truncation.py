"""Texts that are too long for a model."""

__all__ = ["cut_text"]


def cut_text(text: str, *, max_chars: int) -> str:
    """The text, cut with a notice if it is longer than `max_chars`."""
    if len(text) <= max_chars:
        return text
    return f"{text[:max_chars]}\n[Output truncated: {max_chars} of {len(text)} characters]"
