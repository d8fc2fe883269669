"""What is asked of DBOS."""

import inspect

import pytest

pytest.importorskip("dbos", reason="needs the extra durable")
from dbos import DBOS


def test_the_private_function_is_there() -> None:
    """`DBOS._recover_pending_workflows` brings the tickets of dead processes to living ones."""
    parameters = inspect.signature(DBOS._recover_pending_workflows).parameters

    assert list(parameters) == ["executor_ids"]
