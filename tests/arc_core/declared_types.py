"""Types of answers that programs declare."""

from dataclasses import dataclass
from enum import Enum

from typing_extensions import TypedDict

__all__ = ["Colour", "Point", "Row"]


@dataclass
class Point:
    x: int


class Row(TypedDict):
    x: int


class Colour(Enum):
    RED = "red"
