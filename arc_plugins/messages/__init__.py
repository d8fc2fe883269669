"""Texts about failures for people, in the languages that come with Arc."""

from enum import StrEnum

from pydantic import field_validator

from arc_core.settings import Section

__all__ = ["Language", "MessagesSettings"]


class Language(StrEnum):
    """A language that Arc's messages for people are written in."""

    ENGLISH = "en"
    KOREAN = "ko"


class MessagesSettings(Section):
    """The texts for people."""

    language: Language = Language.ENGLISH

    @field_validator("language", mode="before")
    @classmethod
    def _lower_case(cls, value: object) -> object:
        return value.lower() if isinstance(value, str) else value
