"""Components of conformance suites are started and closed."""

import pytest

from arc_core.testing.conformance.components import running


class Journal:
    """Remembers what happens to a component."""

    def __init__(self) -> None:
        self.entries: list[str] = []


class StartsAndCloses(Journal):
    """Has async lifecycle methods."""

    async def start(self) -> None:
        self.entries.append("start")

    async def aclose(self) -> None:
        self.entries.append("aclose")


class EntersAndLeaves(Journal):
    """Is an async context manager."""

    async def __aenter__(self) -> None:
        self.entries.append("enter")

    async def __aexit__(self, *exception: object) -> None:
        self.entries.append("exit")


@pytest.mark.parametrize(
    ("component", "expected"),
    [
        (StartsAndCloses(), ["start", "use", "aclose"]),
        (EntersAndLeaves(), ["enter", "use", "exit"]),
        (Journal(), ["use"]),
    ],
)
async def test_a_component_is_started_before_and_closed_after(
    component: Journal, expected: list[str]
) -> None:
    """Both ways of having a lifecycle work, and having none."""
    async with running(component) as usable:
        usable.entries.append("use")

    assert component.entries == expected


async def test_a_failed_test_closes_its_component() -> None:
    """Nothing is left open by an assertion."""
    component = StartsAndCloses()

    with pytest.raises(AssertionError):
        async with running(component):
            raise AssertionError

    assert component.entries == ["start", "aclose"]
