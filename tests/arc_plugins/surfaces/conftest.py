"""The clients of protocols that are JavaScript."""

import pytest

from tests.arc_plugins.surfaces.node_client import NodeClient


@pytest.fixture(scope="session")
def node() -> NodeClient:
    """Runs the protocols' own clients."""
    return NodeClient.install()
