"""Clients: of HTTP, and those of protocols that are JavaScript."""

from collections.abc import AsyncIterator

import httpx2
import pytest

from tests.arc_plugins.surfaces.node_client import NodeClient
from tests.arc_plugins.surfaces.served_apps import make_app
from tests.serving import client_of, serving_app


@pytest.fixture(scope="session")
def node() -> NodeClient:
    """Runs the protocols' own clients."""
    return NodeClient.install()


@pytest.fixture
async def client() -> AsyncIterator[httpx2.AsyncClient]:
    """Of an application whose model does what it is told."""
    async with serving_app(make_app().asgi()) as base, client_of(base) as client:
        yield client
