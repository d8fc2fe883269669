"""A curve as SVG text, with logarithmic axes: a straight line is a power of the size."""

import math
from collections.abc import Iterator, Sequence

_WIDTH, _HEIGHT = 480, 260
_LOOK = 'role="img" font-family="system-ui, sans-serif" font-size="12"'
_LEFT, _RIGHT, _TOP, _BOTTOM = 64, 464, 40, 216


class _Axis:
    """Places on one axis.

    Args:
        values: All that stand on it, above 0.
        start: Where the power of ten below the least of them stands.
        end: Where the power of ten above the largest stands.
    """

    def __init__(self, values: Sequence[float], *, start: float, end: float) -> None:
        self._low = math.floor(math.log10(min(values)))
        self._high = max(self._low + 1, math.ceil(math.log10(max(values))))
        self._start, self._end = start, end

    @property
    def ticks(self) -> list[float]:
        """The powers of ten."""
        return [10.0**power for power in range(self._low, self._high + 1)]

    def place(self, value: float) -> float:
        """Where a value stands."""
        share = (math.log10(value) - self._low) / (self._high - self._low)
        return self._start + share * (self._end - self._start)


def draw_curve(
    sizes: Sequence[float], values: Sequence[float], *, title: str, x_axis: str, y_axis: str
) -> str:
    """Return a plot of values by sizes, all above 0."""
    across = _Axis(sizes, start=_LEFT, end=_RIGHT)
    up = _Axis(values, start=_BOTTOM, end=_TOP)
    places = [(across.place(x), up.place(y)) for x, y in zip(sizes, values, strict=True)]
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    body = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" {_LOOK}>',
        f"<title>{title}</title>",
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="#ffffff"/>',
        f'<text x="{_LEFT}" y="22" font-size="14" fill="#1f2328">{title}</text>',
        *_draw_grid(across, up),
        f'<text x="{_RIGHT}" y="{_HEIGHT - 8}" text-anchor="end" fill="#57606a">{x_axis}</text>',
        f'<text x="{_LEFT - 8}" y="{_TOP - 4}" text-anchor="end" fill="#57606a">{y_axis}</text>',
        f'<polyline fill="none" stroke="#0969da" stroke-width="2" points="{line}"/>',
        *(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="#0969da"/>' for x, y in places),
        "</svg>",
    ]
    return "\n".join(body) + "\n"


def _draw_grid(across: _Axis, up: _Axis) -> Iterator[str]:
    for tick in up.ticks:
        y = up.place(tick)
        yield f'<line x1="{_LEFT}" y1="{y:.1f}" x2="{_RIGHT}" y2="{y:.1f}" stroke="#d0d7de"/>'
        label = f'<text x="{_LEFT - 8}" y="{y + 4:.1f}" text-anchor="end" fill="#57606a">'
        yield f"{label}{tick:,g}</text>"
    for tick in across.ticks:
        x = across.place(tick)
        label = f'<text x="{x:.1f}" y="{_BOTTOM + 18}" text-anchor="middle" fill="#57606a">'
        yield f"{label}{tick:,g}</text>"
