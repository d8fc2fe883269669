"""Problems, which end requests."""

import pytest

from arc_core.serving import Problem


def test_a_problem_can_lose_its_traceback() -> None:
    """Starlette takes it away once the response is sent."""
    with pytest.raises(Problem) as raised:
        raise Problem(404, "not_found", "There is no such run.")

    raised.value.__traceback__ = None
    assert str(hash(raised.value))
