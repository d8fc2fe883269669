"""What durable runs cannot be told."""

from typing import Any

import pytest
from pydantic import ValidationError

from arc_plugins.journals.settings import DurableSettings


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"url": "mysql://there/runs"}, "is not a database"),
        ({"url": "sqlite://"}, "is not a database"),
        ({"queues": {"_dbos_internal": {}}}, "cannot be the name of a queue"),
        ({"queues": {" ": {}}}, "cannot be the name of a queue"),
        ({"queues": {"a\nb": {}}}, "cannot be the name of a queue"),
        ({"keep_days": float("inf")}, "less than or equal to 100000"),
    ],
)
def test_a_wrong_value_is_told(values: dict[str, Any], said: str) -> None:
    """With what to write in its place."""
    with pytest.raises(ValidationError, match=said):
        DurableSettings(**values)
