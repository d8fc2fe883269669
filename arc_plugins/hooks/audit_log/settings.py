"""The settings of the audit log."""

from pydantic import Field

from arc_core.settings import Section


class AuditSettings(Section):
    """The audit log of every run."""

    enabled: bool = False
    include_text: bool = Field(default=False, description="false: texts are hashed")
