"""A vendor on loopback, and a key for one."""

from collections.abc import AsyncIterator

import pytest

from arc_core.testing.vendor_server import VendorServer


@pytest.fixture
async def server() -> AsyncIterator[VendorServer]:
    """A vendor without replies yet."""
    async with VendorServer() as server:
        yield server


@pytest.fixture
def openai_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """The key `sk-test`, and no address but that of the settings."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
