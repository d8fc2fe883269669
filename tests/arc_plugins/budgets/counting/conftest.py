"""A real Redis for budgets, and keys in it that are there for one test."""

import uuid
from collections.abc import AsyncIterator, Iterator

import pytest

from tests.arc_plugins.redis_server import redis_url


@pytest.fixture(scope="session")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a real server."""
    with redis_url(tmp_path_factory.mktemp("redis")) as address:
        yield address


@pytest.fixture
async def prefix(url: str) -> AsyncIterator[str]:
    """Of the keys of one test."""
    redis = pytest.importorskip("redis", reason="needs the extra redis")
    text = f"arc-test-{uuid.uuid4().hex}"
    yield text
    async with redis.asyncio.Redis.from_url(url) as client:
        async for key in client.scan_iter(match=f"{{{text}*"):
            await client.unlink(key)
