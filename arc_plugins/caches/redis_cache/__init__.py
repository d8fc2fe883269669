"""Keeps answers in Redis, for several processes."""

from typing import Annotated

from pydantic import SecretStr

from arc_core.settings import CacheSettings, NeedsTrust

__all__ = ["RedisCacheSettings"]


class RedisCacheSettings(CacheSettings):
    """The address of Redis."""

    redis_url: Annotated[SecretStr, NeedsTrust("answers are read and written there")] = SecretStr(
        "redis://127.0.0.1:6379/0"
    )
