"""What callers hand to durable runs is kept as JSON, or refused."""

import json
from dataclasses import dataclass
from typing import Any

import pytest
from pydantic import BaseModel

from arc_core.errors import FormError
from arc_plugins.journals.sql.driver import read_deps, write_deps


class Account(BaseModel):
    """A model."""

    number: int
    tags: tuple[str, ...] = ()


@dataclass(frozen=True)
class Point:
    """A dataclass."""

    x: float
    y: float


@dataclass
class Connection:
    """What has no form."""

    socket: object


@pytest.mark.parametrize("deps", [None, Account(number=7, tags=("a", "é")), Point(1, 2.5)])
def test_values_come_back(deps: object) -> None:
    """As the same value of the same class."""
    text = write_deps(deps)

    assert read_deps(text) == deps
    assert text is None or json.loads(text)["class"].startswith(__name__)


class _Local(BaseModel):
    number: int


@pytest.mark.parametrize("deps", [object(), {"a": 1}, 7, Connection(object())])
def test_what_has_no_form_is_refused(deps: object) -> None:
    """With what to hand over."""
    with pytest.raises(FormError, match=r"\$\.deps"):
        write_deps(deps)


def test_a_class_within_a_function_is_refused() -> None:
    """No other process would find it."""

    class Hidden(BaseModel):
        number: int

    with pytest.raises(FormError, match="top of a module"):
        write_deps(Hidden(number=1))


@pytest.mark.parametrize(
    "found",
    [
        {"class": "no.such.module:Account", "value": {}},
        {"class": f"{__name__}:Nothing", "value": {}},
        {"class": f"{__name__}:Account", "value": {"number": "x"}},
        {"class": "os:system", "value": "true"},
    ],
)
def test_what_cannot_be_read_is_named(found: dict[str, Any]) -> None:
    """A class that is gone, or has other fields, or is none."""
    with pytest.raises(FormError, match="cannot be read"):
        read_deps(json.dumps(found))
