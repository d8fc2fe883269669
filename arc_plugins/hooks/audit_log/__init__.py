"""Writes down every run and every tool call."""

from pathlib import Path
from typing import Annotated, Self

from pydantic import Field, SecretStr, model_validator

from arc_core.settings import Harmless, NeedsTrust, Section

__all__ = ["AuditSettings"]

_MIN_KEY_CHARS = 16


class AuditSettings(Section):
    """The audit log of every run."""

    enabled: bool = False
    include_text: bool = Field(default=False, description="false: texts are hashed")
    chain: bool = Field(default=False, description="writes chained lines into audit.file")
    file: Annotated[Path | None, NeedsTrust("every run is written down there")] = Field(
        default=None, description="where chained lines are written"
    )
    key: Annotated[SecretStr | None, Harmless("it leaves only as digests")] = Field(
        default=None, description="seals chained lines; none: plain SHA-256"
    )
    max_file_bytes: int = Field(
        default=100_000_000, ge=1000, description="from this size on, a new file is begun"
    )
    rotate_daily: bool = Field(default=True, description="begins a new file each day, in UTC")

    @model_validator(mode="after")
    def _check_chain(self) -> Self:
        if self.chain and not (self.enabled and self.file):
            raise ValueError("audit.chain needs audit.enabled = true and audit.file")
        if self.file is not None and not self.chain:
            raise ValueError("audit.file is written only with audit.chain = true")
        if self.key is not None and len(self.key.get_secret_value()) < _MIN_KEY_CHARS:
            raise ValueError(f"audit.key is too short: write {_MIN_KEY_CHARS} characters or more")
        return self
