"""Settings of the guards that look at the length of a prompt."""

from typing import Self

from pydantic import Field, model_validator

from arc_core.settings import GuardSettings


class LengthSettings(GuardSettings):
    """The bounds of a prompt's length."""

    min_input_chars: int = Field(default=1, ge=0)
    max_input_chars: int = Field(default=10_000, ge=1)

    @model_validator(mode="after")
    def _range_is_not_empty(self) -> Self:
        if self.min_input_chars > self.max_input_chars:
            msg = (
                f"min_input_chars ({self.min_input_chars}) must not exceed "
                f"max_input_chars ({self.max_input_chars})"
            )
            raise ValueError(msg)
        return self
