"""Tables of the figures: for the terminal, and for a page of the documentation."""

import json
import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from statistics import median

from benchmarks.alone import ALONE
from benchmarks.counts import RECORDED, Counts, get_ratio
from benchmarks.workloads import WORKLOADS

__all__ = ["Figures", "Report", "show_alone", "show_workload"]

Figures = dict[str, list[float]]
"""Of each contestant, the figure of each round."""

_START = "<!-- figures of python -m benchmarks -->"
_END = "<!-- end of figures -->"
_PACKAGES = ("openai", "anthropic", "aiohttp", "httpx2", "pydantic", "jiter")
_APIS = {
    "OpenAI": ("openai", "arc_openai"),
    "Anthropic": ("anthropic", "arc_anthropic"),
    "OpenAI's Responses API, beside its chat completions": ("openai", "arc_openai_responses"),
    "Gemini, beside OpenAI": ("openai", "arc_gemini"),
}
"""Of each table, the API of the SDK and of the floor, and the contestant of Arc."""


def show_workload(work: str, figures: Figures) -> str:
    """The table of one workload: medians, and ratios to the vendor's SDK and its transport."""
    workload = WORKLOADS[work]
    medians = {name: median(values) for name, values in figures.items()}
    lines = [f"\n{workload.title}, {workload.unit}"]
    for name, figure in medians.items():
        api = "anthropic" if "anthropic" in name else "openai"  # Gemini is measured by OpenAI's
        ratios = [
            f"{figure / medians[other]:5.2f} x {other}"
            for other in (f"{api}_sdk", f"{api}_transport", f"arc_{api}")
            if medians.get(other)
            and other != name
            and (other.startswith(api) or name.startswith("arc"))
        ]
        lines.append(f"  {name:20} {figure:9.2f}   {'   '.join(ratios)}")
    return "\n".join(lines)


def show_alone(work: str, values: Sequence[float]) -> str:
    """The line of a figure of Arc alone."""
    figure = ALONE[work]
    return f"{figure.title:45} {median(values):8.2f} {figure.unit}, at most {figure.target:g}"


@dataclass
class Report:
    """The figures of a run of the benchmarks.

    Attributes:
        rounds: Measurements of each figure.
        workloads: The figures of each workload that was measured.
        alone: The figures of Arc alone.
    """

    rounds: int
    workloads: dict[str, Figures] = field(default_factory=dict)
    alone: dict[str, list[float]] = field(default_factory=dict)

    def write(self, page: Path) -> None:
        """Put the tables between the two comments of a page.

        Raises:
            ValueError: The page has no such comments.
        """
        before, start, rest = page.read_text("utf-8").partition(_START)
        _, end, after = rest.partition(_END)
        if not (start and end):
            raise ValueError(f"{page} has no place for the figures: {_START} and {_END}")
        page.write_text(f"{before}{start}\n\n{self.render()}\n\n{end}{after}", "utf-8")

    def render(self) -> str:
        """The tables as Markdown, and with what they were measured."""
        tables = [self._render_api(title, *names) for title, names in _APIS.items()]
        tables += [self._render_alone(), _render_counts(json.loads(RECORDED.read_text("utf-8")))]
        return "\n\n".join([self._describe(), *filter(None, tables)])

    def _describe(self) -> str:
        day, cores = datetime.now(UTC).date(), os.cpu_count()
        packages = ", ".join(f"{name} {version(name)}" for name in _PACKAGES)
        return (
            f"Measured on {day} with Python {platform.python_version()} on {cores} cores of "
            f"{platform.machine()}; medians of {self.rounds} interleaved rounds; {packages}."
        )

    def _render_api(self, title: str, api: str, arc: str) -> str:
        rows = []
        for work, figures in self.workloads.items():
            medians = {name: median(values) for name, values in figures.items()}
            if arc in medians:
                rows.append(_row(work, medians, (f"{api}_sdk", f"{api}_transport", arc)))
        if not rows:
            return ""
        turns = self._compare_turns(arc, floor=f"{api}_transport")
        head = ("", "unit", "SDK", "floor", "Arc", "Arc ÷ floor", "Arc ÷ SDK", "at most")
        return f"### {title}\n\n{_render_table(head, rows)}{turns}"

    def _compare_turns(self, arc: str, *, floor: str) -> str:
        """The last turn of a long conversation in first ones, if both were measured."""
        ratios = []
        for name in (arc, floor):
            works = ("first_turn", "conversation")
            turns = [self.workloads.get(each, {}).get(name) for each in works]
            first, last = (median(values) if values else 0.0 for values in turns)
            if not (first and last):
                return ""
            ratios.append(f"{last / first:.2f}")
        return (
            f"\n\nThe last turn of a long conversation costs {ratios[0]} first ones, at most 1.2; "
            f"that of the floor, which sends as many bytes, {ratios[1]}."
        )

    def _render_alone(self) -> str:
        rows = [
            (
                ALONE[work].title,
                ALONE[work].unit,
                f"{median(values):.2f}",
                f"{ALONE[work].target:g}",
            )
            for work, values in self.alone.items()
        ]
        head = ("", "unit", "Arc", "at most")
        return f"### Arc alone\n\n{_render_table(head, rows)}" if rows else ""


def _row(work: str, medians: Mapping[str, float], names: tuple[str, str, str]) -> tuple[str, ...]:
    """The cells of a workload: what was not measured is a dash."""
    workload = WORKLOADS[work]
    sdk, floor, arc = (medians.get(name) for name in names)
    cells = ["–" if value is None else f"{value:.2f}" for value in (sdk, floor, arc)]
    ratios = [f"{arc / other:.2f}" if arc and other else "–" for other in (floor, sdk)]
    target = ""
    if workload.target is not None:
        target = f"{workload.target:g} {workload.reference or workload.unit}"
    return (workload.title, workload.unit, *cells, *ratios, target)


def _render_counts(recorded: Mapping[str, Counts]) -> str:
    """The table of what was counted, with a column for each version of Python."""
    kinds = list(dict.fromkeys(kind for counts in recorded.values() for kind in counts))
    rows = []
    for kind in kinds:
        row = [kind]
        for counts in recorded.values():
            each = counts.get(kind, {})
            row += [f"{each['arc']:,}", f"{get_ratio(each):.2f}" if "beside" in each else ""]
        rows.append(row)
    head = ["", *(cell for name in recorded for cell in (f"Arc, Python {name}", "ratio"))]
    return f"### Calls counted\n\n{_render_table(head, rows)}"


def _render_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    aligned = ["---" if name in ("", "unit") else "---:" for name in head]
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, aligned, *rows))
