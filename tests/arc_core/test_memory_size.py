"""About how much memory values take."""

from dataclasses import dataclass, field
from sys import getsizeof
from typing import Any

import pytest
from pydantic import BaseModel

from arc_core.memory_size import memory_size

TEXT = "x" * 1_000


@dataclass
class Record:
    """A value with a field."""

    text: str = TEXT
    more: list[object] = field(default_factory=list)


class Model(BaseModel):
    """A model with a field."""

    text: str = TEXT


@pytest.mark.parametrize(
    "value",
    [TEXT, [TEXT], {"a": TEXT}, {TEXT: 1}, {TEXT}, Record(), Model(), [[Record()], Model(), TEXT]],
    ids=["text", "list", "value", "key", "set", "dataclass", "model", "shared"],
)
def test_what_is_inside_counts_once(value: object) -> None:
    """Wherever it is, and however often."""
    assert getsizeof(TEXT) <= memory_size(value) < getsizeof(TEXT) + 1_000


def test_a_value_that_holds_itself_has_a_size() -> None:
    """It does not go on for ever."""
    record = Record()
    record.more.append(record)

    assert memory_size(record) < 3_000


@pytest.mark.parametrize(
    ("value", "bytes_about"),
    [
        (list(range(1_000_000)), 36_000_000),
        ([f"{number:01000d}" for number in range(20_000)], 21_000_000),
        ({number: number + 0.5 for number in range(100_000)}, 10_000_000),
    ],
    ids=["numbers", "texts", "mapping"],
)
def test_large_values_are_measured_by_a_part_of_them(value: Any, bytes_about: int) -> None:
    """And are about as large as they are."""
    assert bytes_about / 2 < memory_size(value) < bytes_about * 2
