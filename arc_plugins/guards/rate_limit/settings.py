"""Settings of the guards that count prompts."""

from typing import Annotated

from pydantic import Field, SecretStr

from arc_core.settings import GuardSettings, NeedsTrust


class RateLimitSettings(GuardSettings):
    """The number of prompts that are let in, and the place where they are counted."""

    rate_limit_per_minute: int = Field(default=0, ge=0, description="0 is off")
    rate_limit_per_hour: int = Field(default=0, ge=0, description="0 is off")
    rate_limit_redis_url: Annotated[
        SecretStr | None, NeedsTrust("counts of users' prompts are sent there")
    ] = Field(default=None, description="counts in Redis, for all processes; none: in each process")
