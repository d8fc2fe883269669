"""The response filters that come with Arc."""

from pydantic import Field

from arc_core import settings as core

__all__ = ["LengthFilterSettings"]


class LengthFilterSettings(core.ResponseSettings):
    """The bound of an answer's length."""

    max_length: int = Field(default=0, ge=0, description="characters; 0 is unlimited")
