"""The rules of the house that no linter knows: each finds what breaks it in one file."""

import ast
import re
from collections.abc import Callable, Iterator

from tests.architecture.source import Function, Source, dotted, own_nodes

MAX_MODULE_LINES = 400
MAX_LINES_OF_ONE = 600
MAX_FUNCTION_LINES = 40
MAX_TEST_LINES = 25
MAX_PARAMETERS = 7

Rule = Callable[[Source], Iterator[str]]

_FORBIDDEN_NAMES = {"asyncio.gather", "asyncio.wait_for", "typing.TYPE_CHECKING"}
_INTERNAL = re.compile(
    r"(arc_core|arc_plugins|arc_autoconfig/(cli|container|decide|declare|explain|runs|server|settings))"
    r"/(?!errors|messages/attachments)(.*/)?(?!__init__)\w+\.py"
)
_FORBIDDEN_MODULES = {"utils", "helpers", "common", "manager", "types"}
_FORBIDDEN_CLASS = re.compile(r"Default[A-Z]|Base[A-Z]|.*Impl$")
_SCOPES = {"LoopTimeout", "timeout", "timeout_at", "TaskGroup"}
_NOQA = re.compile(r"noqa(: ?[A-Z]+[0-9]+(, ?[A-Z]+[0-9]+)*)?( -- )?")
_ENOUGH_WORDS = 3


def modules_are_short(source: Source) -> Iterator[str]:
    """A module has at most 400 lines; one that holds one class or one table, at most 600."""
    lines = len(source.text.splitlines())
    most = MAX_LINES_OF_ONE if _holds_one_thing(source) else MAX_MODULE_LINES
    if lines > most:
        yield source.at(1, f"{lines} lines, more than {most}: split it by decision")


def _holds_one_thing(source: Source) -> bool:
    """Whether most of a module is one class, the rows of one table, or the names of a package."""
    lines = len(source.text.splitlines())
    kinds: dict[str, int] = {}
    for node in source.tree.body:
        length = (node.end_lineno or 0) - node.lineno + 1
        if isinstance(node, ast.ClassDef):
            kinds[node.name] = length
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            row = ast.unparse(node.value.func)
            kinds[row] = kinds.get(row, 0) + length
        elif isinstance(node, ast.ImportFrom) or _declares_names(node):
            kinds["names"] = kinds.get("names", 0) + length
    return max(kinds.values(), default=0) > lines / 2


def _declares_names(node: ast.stmt) -> bool:
    return isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"


def _lines(function: Function) -> int:
    """Lines from `def` to the end, without the docstring: it is demanded, so it is free."""
    docstring = function.body[0] if ast.get_docstring(function) is not None else None
    free = (docstring.end_lineno or 0) - docstring.lineno + 1 if docstring else 0
    return (function.end_lineno or 0) - function.lineno + 1 - free


def functions_are_short(source: Source) -> Iterator[str]:
    """A function has at most 40 lines."""
    for function in source.functions:
        if _lines(function) > MAX_FUNCTION_LINES:
            problem = f"{function.name} has {_lines(function)} lines"
            yield source.at(function.lineno, f"{problem}, more than {MAX_FUNCTION_LINES}")


def parameters_are_few(source: Source) -> Iterator[str]:
    """A function has at most seven parameters beside `self`."""
    for function in source.functions:
        every = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
        count = len([each for each in every if each.arg not in {"self", "cls"}])
        if count > MAX_PARAMETERS:
            yield source.at(function.lineno, f"{function.name} takes {count} parameters")


def no_forbidden_names(source: Source) -> Iterator[str]:
    """No `gather`, no `wait_for`, no `TYPE_CHECKING`, however they were imported."""
    for node in source.nodes:
        if isinstance(node, ast.Attribute) and dotted(node) in _FORBIDDEN_NAMES:
            yield source.at(node.lineno, f"{dotted(node)} is not used here")
    for imported, line in source.imports:
        if imported in _FORBIDDEN_NAMES:
            yield source.at(line, f"{imported} is not used here")


def no_suppressed_cancellation(source: Source) -> Iterator[str]:
    """`suppress` never gets an exception that cancellation is, or is a kind of."""
    for node in source.nodes:
        if isinstance(node, ast.Call) and dotted(node.func).rpartition(".")[2] == "suppress":
            names = {dotted(argument).rpartition(".")[2] for argument in node.args}
            if names & {"CancelledError", "BaseException"}:
                yield source.at(node.lineno, "cancellation is suppressed")


def caught_cancellation_leaves(source: Source) -> Iterator[str]:
    """A function that catches `CancelledError` raises again."""
    for function in source.functions:
        nodes = list(own_nodes(function))
        if any(isinstance(node, ast.Raise) for node in nodes):
            continue
        for node in nodes:
            if isinstance(node, ast.ExceptHandler) and "CancelledError" in _caught(node):
                yield source.at(node.lineno, f"{function.name} keeps a cancellation")


def _caught(handler: ast.ExceptHandler) -> set[str]:
    if handler.type is None:
        return {"BaseException"}
    every = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return {dotted(each).rpartition(".")[2] for each in every}


def broad_excepts_have_reasons(source: Source) -> Iterator[str]:
    """`except Exception` says on its line why everything is caught here, unless it raises again."""
    for node in source.nodes:
        if not isinstance(node, ast.ExceptHandler) or isinstance(node.body[-1], ast.Raise):
            continue
        if _caught(node) & {"Exception", "BaseException"}:
            reason = _NOQA.sub("", source.comments.get(node.lineno, ""))
            if len(reason.split()) < _ENOUGH_WORDS:
                yield source.at(node.lineno, "everything is caught without a reason beside it")


def no_yield_inside_a_scope(source: Source) -> Iterator[str]:
    """No generator yields inside a time-out or a task group: both belong to one task."""
    for function in source.functions:
        for node in own_nodes(function):
            if isinstance(node, ast.AsyncWith) and _opens_scope(node):
                inside = [inner for statement in node.body for inner in ast.walk(statement)]
                if any(isinstance(inner, ast.Yield | ast.YieldFrom) for inner in inside):
                    yield source.at(node.lineno, f"{function.name} yields inside a scope")


def _opens_scope(node: ast.AsyncWith) -> bool:
    names = {dotted(item.context_expr).rpartition(".")[2] for item in node.items}
    return bool(names & _SCOPES)


def names_say_what_they_are(source: Source) -> Iterator[str]:
    """No `utils`, no `Default…`, `…Impl` or `Base…`: names say how a thing differs."""
    parts = source.path.removesuffix(".py").split("/")
    for part in _FORBIDDEN_MODULES.intersection(parts):
        yield source.at(1, f"{part} says nothing about what is in it")
    for cls in source.classes:
        if _FORBIDDEN_CLASS.match(cls.name):
            yield source.at(cls.lineno, f"{cls.name} does not say how it differs")


def public_names_are_declared(source: Source) -> Iterator[str]:
    """`__all__` names every public class and function of a face, and nothing else.

    Faces are packages and what the reference prints. Other modules have none: of what has no
    underscore, every other module may use all.
    """
    declared = _declared(source)
    if _INTERNAL.match(source.path):
        if declared:
            yield source.at(1, "an internal module needs no __all__")
        return
    defined = {
        node.name
        for node in source.tree.body
        if isinstance(node, Function | ast.ClassDef) and not node.name.startswith("_")
    }
    for name in sorted(defined - declared):
        yield source.at(1, f"{name} is neither in __all__ nor private")
    for name in sorted(declared - defined - _bound(source)):
        yield source.at(1, f"__all__ names {name}, which is not there")


def _declared(source: Source) -> set[str]:
    for node in source.tree.body:
        if isinstance(node, ast.Assign) and dotted(node.targets[0]) == "__all__":
            return set(ast.literal_eval(node.value)) if isinstance(node.value, ast.List) else set()
    return set()


def _bound(source: Source) -> set[str]:
    assigned = {
        dotted(target)
        for node in source.tree.body
        if isinstance(node, ast.Assign | ast.AnnAssign)
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
    }
    return assigned | {name.rpartition(".")[2] for name, _ in source.imports}


def tests_state_one_claim(source: Source) -> Iterator[str]:
    """A test has a docstring of one sentence and at most 25 lines."""
    for function in source.functions:
        if not function.name.startswith("test_"):
            continue
        docstring = ast.get_docstring(function) or ""
        if not docstring or "\n\n" in docstring:
            yield source.at(function.lineno, f"{function.name} does not state its claim")
        if _lines(function) > MAX_TEST_LINES:
            yield source.at(function.lineno, f"{function.name} is longer than {MAX_TEST_LINES}")


def no_mocks(source: Source) -> Iterator[str]:
    """Tests use real fakes."""
    for name, line in source.imports:
        if name.startswith("unittest.mock"):
            yield source.at(line, "write a fake that works instead of a mock")


RULES_FOR_ALL: tuple[Rule, ...] = (
    modules_are_short,
    functions_are_short,
    no_forbidden_names,
    no_suppressed_cancellation,
    caught_cancellation_leaves,
    no_yield_inside_a_scope,
    names_say_what_they_are,
)
RULES_FOR_PACKAGES: tuple[Rule, ...] = (
    *RULES_FOR_ALL,
    parameters_are_few,
    broad_excepts_have_reasons,
    public_names_are_declared,
)
RULES_FOR_TESTS: tuple[Rule, ...] = (*RULES_FOR_ALL, tests_state_one_claim, no_mocks)
