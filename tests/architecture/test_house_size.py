"""The size of the house: every figure has a bound that is only ever lowered, and a goal.

`python -m tests.architecture.test_house_size` prints the table; with `-v`, also the places that
make up each figure.
"""

import ast
import asyncio
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from graphlib import TopologicalSorter
from types import FrameType

import pytest

from arc_autoconfig import Application
from arc_core import ToolCall, tool
from arc_core.testing import ScriptedChatModel
from tests.architecture.source import PACKAGES, Source, dotted, import_graph, sources

VERBS_OF_A_RUN = {"submit", "decide", "cancel", "waiting", "attach", "result"}
MAX_IN_FOLDER = 15
SMALL = 30
_RIDDLE = re.compile(r"(?:What|Whether|Who|Whose|How|Where|Which|When)\b")


@dataclass(frozen=True)
class Measure:
    """A figure, and the places that make it up."""

    value: float
    places: list[str]


@dataclass(frozen=True, kw_only=True)
class Figure:
    """One row of the table."""

    name: str
    measure: Callable[[], Measure]
    bound: float  # lowered whenever the figure falls
    goal: float


def packages() -> tuple[Source, ...]:
    """The modules of the three packages."""
    return sources(*PACKAGES)


def is_empty(source: Source) -> bool:
    """Whether a module has no more than its docstring."""
    return source.text.count("\n") <= 1


def dotted_name(source: Source) -> str:
    """The name by which a file is imported."""
    return source.path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def lines() -> Measure:
    """The lines of the packages, by package."""
    count = Counter[str]()
    for source in packages():
        count[source.path.partition("/")[0]] += source.text.count("\n")
    return Measure(count.total(), [f"{name}: {lines}" for name, lines in count.items()])


def modules() -> Measure:
    """The modules that hold something."""
    places = [source.path for source in packages() if not is_empty(source)]
    return Measure(len(places), [])


def fullest_folder() -> Measure:
    """The modules of the folder with the most of them; `__init__.py` is not counted."""
    folders = Counter(
        source.path.rpartition("/")[0]
        for source in packages()
        if not source.path.endswith("__init__.py")
    )
    full = [
        f"{folder}: {count}" for folder, count in folders.most_common() if count > MAX_IN_FOLDER
    ]
    return Measure(max(folders.values()), full)


def full_folders() -> Measure:
    """The folders with more modules than a reader takes in."""
    full = fullest_folder().places
    return Measure(len(full), full)


def names_of_two_classes() -> Measure:
    """Public classes of one name."""
    places = defaultdict[str, list[str]](list)
    for source in packages():
        for cls in source.classes:
            if not cls.name.startswith("_"):
                places[cls.name].append(source.at(cls.lineno, cls.name))
    twins = [each for each in places.values() if len(each) > 1]
    return Measure(len(twins), [place for each in twins for place in each])


def functions_called_of() -> Measure:
    """Functions that are called `x_of`, in per cent."""
    places, count = [], 0
    for source in packages():
        count += len(source.functions)
        if "/testing/" not in source.path:
            places += [
                source.at(function.lineno, function.name)
                for function in source.functions
                if function.name.endswith("_of")
            ]
    return Measure(percentage(places, count), places)


def riddles() -> Measure:
    """Docstrings that begin with a question's word, in per cent."""
    places, count = [], 0
    for source in packages():
        for node in (source.tree, *source.classes, *source.functions):
            if text := ast.get_docstring(node):
                count += 1
                if _RIDDLE.match(text):
                    line = 1 if isinstance(node, ast.Module) else node.lineno
                    places.append(source.at(line, text.partition("\n")[0]))
    return Measure(percentage(places, count), places)


def percentage(places: list[str], count: int) -> float:
    """To one decimal."""
    return round(100 * len(places) / count, 1)


def verbs_of_a_run() -> Measure:
    """Functions and methods that are called as a run's own; overloads are not counted."""
    places = [
        source.at(function.lineno, function.name)
        for source in packages()
        for function in source.functions
        if function.name in VERBS_OF_A_RUN
        if not any(dotted(each).endswith("overload") for each in function.decorator_list)
    ]
    return Measure(len(places), places)


def small_modules() -> Measure:
    """Modules under 30 lines that one other imports, and that could be a part of it."""
    graph, places = import_graph(), []
    for source in packages():
        lines = source.text.count("\n")
        if lines < SMALL and not source.path.endswith("__init__.py"):
            importers = graph.find_modules_that_directly_import(dotted_name(source))
            if len(importers) == 1:
                places.append(f"{source.path}: {lines} lines, for {next(iter(importers))}")
    return Measure(len(places), places)


def longest_chain() -> Measure:
    """The most modules that import each other in a row."""
    graph = import_graph()
    chain = longest_path(
        {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    )
    return Measure(len(chain), [" → ".join(chain)])


def longest_path(imported: Mapping[str, Iterable[str]]) -> list[str]:
    """One of the longest paths; raise `CycleError` where modules import each other in a circle."""
    paths: dict[str, list[str]] = {}
    for module in TopologicalSorter(imported).static_order():
        below = [paths[each] for each in sorted(imported.get(module, ()))]
        paths[module] = [module, *max(below, key=len, default=[])]
    return max(paths.values(), key=len)


@tool
async def weather(city: str) -> str:
    """Tell the weather of a city."""
    return f"sunny in {city}"


@cache
def profile() -> Counter[str]:
    """How often one run with a tool calls functions of Arc, by file."""
    with asyncio.Runner() as runner:
        return runner.run(_profile())


async def _profile() -> Counter[str]:
    calls = Counter[str]()

    def count(frame: FrameType, event: str, _: object) -> None:
        path = frame.f_code.co_filename
        if event == "call" and "/arc_" in path:
            calls[path[path.index("/arc_") + 1 :]] += 1

    model = ScriptedChatModel([[ToolCall("1", "weather", '{"city": "Seoul"}')], "Sunny."] * 3)
    async with Application(register=[weather, model]) as app:
        for _ in range(2):  # what is made once has been made
            await app.execute("How is the weather?")
        sys.setprofile(count)
        try:
            result = await app.execute("How is the weather?")
        finally:
            sys.setprofile(None)
    assert result.success
    return calls


def calls_of_a_run() -> Measure:
    """The calls that one run with a tool makes within Arc."""
    return Measure(profile().total(), [f"{path}: {n}" for path, n in profile().most_common()])


def modules_of_a_run() -> Measure:
    """The modules that one run with a tool passes through."""
    return Measure(len(profile()), sorted(profile()))


FIGURES = (
    Figure(name="lines", measure=lines, bound=105_000, goal=73_000),
    Figure(name="modules", measure=modules, bound=633, goal=600),
    Figure(name="modules in a folder", measure=fullest_folder, bound=15, goal=MAX_IN_FOLDER),
    Figure(name="folders over 15 modules", measure=full_folders, bound=0, goal=0),
    Figure(name="names of two public classes", measure=names_of_two_classes, bound=0, goal=0),
    Figure(name="functions called x_of, %", measure=functions_called_of, bound=1, goal=1),
    Figure(name="docstrings that ask, %", measure=riddles, bound=1, goal=1),
    Figure(name="functions called as a run's verbs", measure=verbs_of_a_run, bound=30, goal=30),
    Figure(name="small modules of one importer", measure=small_modules, bound=0, goal=0),
    Figure(name="modules in a chain of imports", measure=longest_chain, bound=24, goal=24),
    Figure(name="modules that a run opens", measure=modules_of_a_run, bound=65, goal=65),
    Figure(name="calls of a run with a tool", measure=calls_of_a_run, bound=400, goal=400),
)


@pytest.mark.slow
@pytest.mark.parametrize("figure", FIGURES, ids=lambda figure: figure.name)
def test_the_house_grows_no_further(figure: Figure) -> None:
    """No figure rises over what it was when its bound was last lowered."""
    measured = figure.measure()

    assert measured.value <= figure.bound, "\n".join(measured.places)


@pytest.mark.parametrize("figure", FIGURES, ids=lambda figure: figure.name)
def test_a_bound_stands_above_its_goal(figure: Figure) -> None:
    """A bound that falls below its goal takes the goal with it."""
    assert figure.goal <= figure.bound


def test_a_chain_of_imports_is_measured() -> None:
    """The longest of all paths, from its top to its end."""
    imported = {"top": ["left", "right"], "left": ["end"], "right": ["low"], "low": ["end"]}

    assert longest_path(imported) == ["top", "right", "low", "end"]


def table(*, with_places: bool = False) -> str:
    """Each figure, its bound and its goal, and the places that make it up."""
    rows = [f"{'':36}{'today':>8}{'bound':>8}{'goal':>8}"]
    for figure in FIGURES:
        measured = figure.measure()
        rows.append(f"{figure.name:36}{measured.value:>8g}{figure.bound:>8g}{figure.goal:>8g}")
        if with_places:
            rows += [f"    {place}" for place in measured.places]
    return "\n".join(rows)


if __name__ == "__main__":
    print(table(with_places="-v" in sys.argv))  # noqa: T201 -- what the program is for
