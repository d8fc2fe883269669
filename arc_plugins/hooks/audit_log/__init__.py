"""Writes down every run and every tool call."""

from pydantic import Field

from arc_core.settings import Section

__all__ = ["AuditSettings"]


class AuditSettings(Section):
    """The audit log of every run."""

    enabled: bool = False
    include_text: bool = Field(default=False, description="false: texts are hashed")
