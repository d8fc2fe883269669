"""Words of the house's own that names had, and the field's words that took their places.

A reader who meets `told` or `Purse` has to ask what it means; `last_seq` and `Billing` say it.
"""

import ast
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType

from tests.architecture.source import Source

__all__ = ["house_words", "names"]

MODULES: Mapping[str, str] = MappingProxyType(
    {
        "asked": "requests",
        "telling": "events",
        "speaking": "message_writer",
        "brought": "plugin_sections",
        "looked_for": "sources",
        "excluding": "exclusions",
        "replacing": "replacements",
        "finding": "lookup",
        "making": "factories",
        "missing": "missing_services",
        "news": "wakeups",
        "verdicts": "run_results",
    }
)
CLASSES: Mapping[str, str] = MappingProxyType(
    {
        "Telling": "EventEncoder",
        "KeptRun": "StoredRun",
        "KeptRuns": "Runs",
        "KeepsRuns": "Runs",
        "Said": "GuardedAnswer",
        "Asked": "ModelStep",
        "Called": "ToolStep",
        "Entered": "EntryStep",
        "Begun": "StartStep",
        "Judged": "GuardStep",
        "Answered": "AnswerStep",
        "Purse": "Billing",
        "Tab": "RunAccount",
        "Sent": "InFlight",
        "Debts": "UnsettledRuns",
        "Place": "ExtensionPoint",
        "Patience": "LoopTimeout",
        "Passage": "Permit",
        "Stages": "Collaborators",
    }
)
OTHERS: Mapping[str, str] = MappingProxyType(
    {  # attributes, arguments, variables, functions
        "shown": "visible",
        "told": "last_seq",
        "told_by": "last_seq",
        "events_told": "last_seq",
        "life": "attempt_id",
        "lets_go": "is_closing",
        "news": "wakeups",
        "flaw_of": "find_problem",
        "misfit_of": "check",
    }
)


def names(source: Source) -> Iterator[tuple[int, str]]:
    """The names that a file gives to values and functions, with their lines."""
    for node in source.nodes:
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                yield node.lineno, node.name
            case ast.arg():
                yield node.lineno, node.arg
            case ast.Name(ctx=ast.Store()):
                yield node.lineno, node.id
            case ast.Attribute(ctx=ast.Store()):
                yield node.lineno, node.attr


def house_words(source: Source) -> Iterator[tuple[str, str]]:
    """Each word of the house that a file gives as a name, with the finding."""
    module = source.path.rpartition("/")[2].removesuffix(".py")
    yield from _found(source, MODULES, [(1, module)])
    yield from _found(source, CLASSES, [(each.lineno, each.name) for each in source.classes])
    yield from _found(source, OTHERS, names(source))


def _found(
    source: Source, table: Mapping[str, str], given: Iterable[tuple[int, str]]
) -> Iterator[tuple[str, str]]:
    for line, name in given:
        word = name.strip("_")
        if word in table:
            yield word, source.at(line, f"{name}: say {table[word]}, or what it is here")
