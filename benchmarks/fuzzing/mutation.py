"""Malformed input, made from what is well formed."""

import json
from collections.abc import Iterator
from random import Random
from typing import Any

__all__ = ["ODD_VALUES", "mutate", "mutate_json"]

_MAX_BYTES = 200_000
_DEEP: Any = json.loads("[" * 120 + "]" * 120)
ODD_VALUES: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 7, 2**31, 2**63, -(2**63), 10**400, 0.5, -0.0, 1e308, float("nan"),
    float("inf"), "", " ", "0", "-1", "null", "\x00", "\ud800", "\u202e\x1b[31m", "a" * 5000, "{}",
    "[", "${HOME}", "../../etc/passwd", "http://u:p@[::1", "data:;base64,@", "1e999", [], {},
    [None], [[]], [{}], [1, "a"], {"": None}, {"type": None}, {"a": {"b": [1]}}, _DEEP,
)  # fmt: skip
_ODD_BYTES = (b"", b"\x00", b"\n", b"\r", b"\r\n\r\n", b"\xff", b"\xed\xa0\x80", b'"', b"\\", b"{")


def mutate(random: Random, data: bytes) -> bytes:
    """Return bytes that differ in one place, or in a few."""
    for _ in range(random.choice((1, 1, 1, 2, 3, 6))):
        data = random.choice((_mutate_object, _mutate_object, _mutate_lines, _mutate_bytes))(
            random, data
        )
        data = data[:_MAX_BYTES]
    return data


def mutate_json(random: Random, value: Any) -> Any:
    """Exchange, drop, add or double one value somewhere inside of a JSON value, in place."""
    places = list(_find_places(value))
    if not places:
        return random.choice(ODD_VALUES)
    container, key = random.choice(places)
    action = random.randrange(8)
    if action == 0:
        del container[key]
    elif action == 1:
        other, name = random.choice(places)
        container[key] = json.loads(json.dumps(other[name]))
    elif action == 2 and isinstance(container, list):
        container[key:key] = [container[key]] * random.choice((1, 2, 30))
    elif action == 3 and isinstance(container, dict):
        container[random.choice(list(container))] = container[key]
    else:
        container[key] = random.choice(ODD_VALUES)
    return value


def _find_places(value: Any) -> Iterator[tuple[Any, Any]]:
    waiting = [value]
    while waiting:
        container = waiting.pop()
        items = container.items() if isinstance(container, dict) else enumerate(container)
        for key, member in items if isinstance(container, dict | list) else ():
            yield container, key
            if isinstance(member, dict | list):
                waiting.append(member)


def _mutate_object(random: Random, data: bytes) -> bytes:
    """Change a JSON value that is the whole, or the rest of a line."""
    lines = [data] if data[:1] in (b"{", b"[") else data.split(b"\n")
    place = random.randrange(len(lines))
    head, brace, rest = lines[place].partition(b"{")
    try:
        value = mutate_json(random, json.loads(brace + rest))
    except (ValueError, RecursionError):
        return _mutate_bytes(random, data)
    lines[place] = head + json.dumps(value, ensure_ascii=random.random() < 0.7).encode(
        errors="surrogatepass"
    )
    return b"\n".join(lines)


def _mutate_lines(random: Random, data: bytes) -> bytes:
    """Drop, double, move or repeat lines."""
    lines = data.split(b"\n")
    place, other = random.randrange(len(lines)), random.randrange(len(lines))
    first, last = min(place, other), max(place, other)
    action = random.randrange(5)
    if action == 0:
        del lines[place]
    elif action == 1:
        lines[place], lines[other] = lines[other], lines[place]
    elif action == 2:
        lines[place:place] = [lines[other]] * _choose_times(random, lines[other])
    elif action == 3:
        lines = lines[: place + 1]
    else:
        lines[first:last] *= 2
    return b"\n".join(lines)


def _mutate_bytes(random: Random, data: bytes) -> bytes:
    """Cut, exchange, insert or repeat bytes."""
    start = random.randrange(len(data) + 1)
    end = min(len(data), start + random.choice((0, 1, 1, 2, 8, 64)))
    piece = random.choice((*_ODD_BYTES, bytes([random.randrange(256)]), data[start:end] * 2))
    if random.random() < 0.05:
        piece = data[start:end] or b"["
        piece *= _choose_times(random, piece)
    return data[:start] + piece + data[end:]


def _choose_times(random: Random, piece: bytes) -> int:
    """How often a piece is repeated: a few times, or as often as input has room for it."""
    return random.choice((1, 2, 100, _MAX_BYTES // (len(piece) + 1)))
