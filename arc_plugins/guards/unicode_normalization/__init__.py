"""Brings prompts into one form, so that later guards see what people see."""

from pydantic import Field

from arc_core.settings import GuardSettings

__all__ = ["NormalizationSettings"]


class NormalizationSettings(GuardSettings):
    """The share of a prompt that may be invisible."""

    max_zero_width_ratio: float = Field(default=0.1, ge=0, le=1)
