"""What programs read from standard output."""

import json
from collections.abc import Mapping
from typing import Any

import click
from pydantic_core import to_jsonable_python

__all__ = ["print_json"]


def print_json(value: Any) -> None:
    """Write a value as JSON; what JSON does not know is written as its text."""
    plain = to_jsonable_python(value, fallback=_plain)
    click.echo(json.dumps(plain, ensure_ascii=False, indent=2))


def _plain(value: object) -> object:
    return dict(value) if isinstance(value, Mapping) else str(value)
