"""What names, docstrings, comments, messages and pages must not say, and what to say instead."""

import ast
import re
from collections.abc import Iterator

from tests.architecture.house_words import names
from tests.architecture.source import Function, Source

__all__ = ["findings_in_code", "findings_in_page", "participles", "phrases"]

_NOT_A = (
    r"(?<!there )(?<!There )\b(?:is|are|was|were|be) no\b"
    r"(?! (?:longer|more|less|fewer|such|other|\w+ (?:left|found|configured))\b)"
)
_CONDITION = (
    r"(?:(?:[Oo]nly|[Aa]lso|[Ee]ven|[Ee]mpty|None|happens) where\b"
    r"|(?<=[,;(] )where (?:there|none|nothing|no|needed|possible|given|set|wanted"
    r"|(?:the|an?|its|their|some) \w+(?: \w+)? (?:is|are|was|has|have|had|does|do|can|may)\b)"
    r"|(?:^|(?<=[.!?] ))Where (?:nothing|none|no|there|neither|both|several)\b)"
)
PHRASES: dict[str, re.Pattern[str]] = {
    "name the caller, the user, the component": re.compile(
        r"\b(?:(?:no|some|any|every)body|whom?(?:so)?ever)\b", re.IGNORECASE
    ),
    "say 'is not a …'": re.compile(_NOT_A),
    "say 'if' or 'when' of a condition": re.compile(_CONDITION),
    "say when it ends": re.compile(r"\bno end after\b"),
}
_IRREGULAR = frozenset({
    *("begun", "broken", "built", "chosen", "done", "drawn", "driven", "fallen", "given", "gone"),
    *("held", "kept", "known", "laid", "led", "left", "lost", "made", "met", "paid", "proven"),
    *("rewritten", "said", "seen", "sent", "shown", "spent", "spoken", "taken", "taught"),
    *("thrown", "told", "understood", "undone", "withheld", "written"),
})  # fmt: skip
_VERBS = frozenset(
    ("embed", "exceed", "feed", "need", "proceed", "seed", "shed", "speed", "succeed")
)
_READ_OR_HANDED_IN = ("property", "fixture", "overload")


def phrases(text: str) -> Iterator[str]:
    """What a text should say in other words, with the advice."""
    words = " ".join(text.split())
    for advice, pattern in PHRASES.items():
        for match in pattern.finditer(words):
            yield f"{words[max(0, match.start() - 20) : match.end() + 20]!r}: {advice}"


def participles(source: Source) -> Iterator[str]:
    """Functions that are called by a participle; properties and answers to yes or no may be."""
    for function in source.functions:
        name = function.name.strip("_")
        is_participle = name in _IRREGULAR or (name.endswith("ed") and name not in _VERBS)
        if "_" not in name and is_participle and not _is_read(function):
            yield source.at(
                function.lineno, f"{function.name} is not a verb that says what it does"
            )


def _is_read(function: Function) -> bool:
    decorators = " ".join(ast.unparse(each) for each in function.decorator_list)
    result = ast.unparse(function.returns) if function.returns else ""
    return result.startswith(("bool", "Type")) or any(
        each in decorators for each in _READ_OR_HANDED_IN
    )


def findings_in_code(source: Source) -> Iterator[str]:
    """What a file says in names, docstrings, messages and comments.

    Texts in tests quote messages and data of others: of those only docstrings are looked at.
    """
    for line, comment in source.comments.items():
        yield from (source.at(line, found) for found in phrases(comment))
    for line, text in _docstrings(source) if source.path.startswith("tests/") else _texts(source):
        yield from (source.at(line, found) for found in phrases(text))
    given = [*names(source), *((each.lineno, each.name) for each in source.classes)]
    for line, name in given:
        words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).replace("_", " ")
        yield from (source.at(line, found) for found in phrases(words))


def _texts(source: Source) -> Iterator[tuple[int, str]]:
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
            yield node.lineno, node.value


def _docstrings(source: Source) -> Iterator[tuple[int, str]]:
    yield 1, ast.get_docstring(source.tree) or ""
    for node in (*source.functions, *source.classes):
        yield node.lineno, ast.get_docstring(node) or ""


def findings_in_page(path: str, text: str) -> Iterator[str]:
    """What a page says outside of its code."""
    without_code = re.sub(r"```.*?```|`[^`\n]+`", "…", text, flags=re.DOTALL)
    for paragraph in without_code.split("\n\n"):
        yield from (f"{path}: {found}" for found in phrases(paragraph))
