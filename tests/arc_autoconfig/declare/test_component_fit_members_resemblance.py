"""Classes that look like several interfaces, and which of them they mean."""

from typing import Any

import pytest

from arc_autoconfig.declare.component_fit import fitting_places
from arc_core import Allowed, GuardResult, OutputGuardRequest
from tests.arc_autoconfig.offers import PLACES, OpenGuard


class Unannotated:
    """Says nothing of what it is asked."""

    order = 1

    async def check(self, request):  # type: ignore[no-untyped-def]
        return Allowed()


class Windowed:
    """Has the field that only output guards have."""

    order, window_chars = 1, 0

    async def check(self, request: Any) -> GuardResult:
        return Allowed()


class Annotated:
    """Is asked what only output guards are asked."""

    order = 1

    async def check(self, request: OutputGuardRequest) -> GuardResult:
        return Allowed()


class Unreadable:
    """Has an annotation of what is not there."""

    order = 1

    async def check(self, request: "Nowhere") -> GuardResult:  # type: ignore[name-defined]  # noqa: F821
        return Allowed()


@pytest.mark.parametrize(
    ("component", "name"),
    [
        (OpenGuard, "guards"),
        (OpenGuard(), "guards"),
        (Unannotated, "guards"),
        (Unannotated(), "guards"),
        (Unreadable(), "guards"),
        (Windowed, "output_guards"),
        (Windowed(), "output_guards"),
        (Annotated, "output_guards"),
    ],
)
def test_a_class_means_the_interface_whose_own_members_it_has(component: Any, name: str) -> None:
    """Else the one that the other resembles."""
    assert [place.name for place in fitting_places(component, PLACES)] == [name]


def test_a_field_that_an_instance_gets_counts() -> None:
    """As one of its class does."""

    class Late(Unannotated):
        def __init__(self) -> None:
            self.window_chars = 3

    assert [place.name for place in fitting_places(Late(), PLACES)] == ["output_guards"]
