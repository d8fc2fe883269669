"""JSON as the standard has it, without what Python's parser adds or lets pass."""

import json
import math
from collections import Counter
from typing import Any


class MalformedTextError(ValueError):
    """A text is not what it should be; the message says where and why, for the model to read."""


def parse_json(text: str) -> Any:
    """The value of a JSON document.

    Raises:
        MalformedTextError: It is none, has text before or behind, a key twice in one object, `NaN`,
            `Infinity`, or a number that no computer can hold.
    """
    try:
        return _DECODER.decode(text)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno} column {error.colno}"
        raise MalformedTextError(f"Invalid JSON at {place}: {error.msg}") from error
    except RecursionError as error:
        raise MalformedTextError("Invalid JSON: it is nested too deeply") from error
    except MalformedTextError:
        raise
    except ValueError as error:  # an integer of more digits than Python reads
        raise MalformedTextError("Invalid JSON: a number is too long") from error


def read_number(number: str) -> float:
    """The number a text stands for.

    Raises:
        MalformedTextError: It is too large to be told from infinity.
    """
    value = float(number)
    if math.isinf(value):
        raise MalformedTextError(f"The number {number[:40]} is too large")
    return value


def build_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of these members.

    Raises:
        MalformedTextError: A key is there twice, and which of its values is meant is not known.
    """
    members = dict(pairs)
    if len(members) < len(pairs):
        [(repeated, _)] = Counter(key for key, _ in pairs).most_common(1)
        raise MalformedTextError(f"The key {json.dumps(repeated[:200])} is there more than once")
    return members


def _refuse(constant: str) -> None:
    raise MalformedTextError(f"{constant} is not JSON")


_DECODER = json.JSONDecoder(
    object_pairs_hook=build_object, parse_float=read_number, parse_constant=_refuse
)
