"""What a caller has to know of a definition, as a few lines of code."""

import ast
from collections.abc import Iterator

from reference.definitions import Class, Definition, Function

__all__ = ["methods", "parameters", "signature"]

_LINE = 96
_CALLED = {"__init__", "__call__", "__add__"}


def signature(definition: Definition) -> str:
    """The head of a function, a class with its fields and methods, or an assignment."""
    node = definition.node
    if isinstance(node, Function):
        return _head(node)
    if isinstance(node, Class):
        return "\n".join([_class_head(node), *_members(node)])
    return _assignment(ast.unparse(node))


def methods(node: Class) -> list[Function]:
    """The public methods and properties of a class, each once, in their order."""
    every = [each for each in node.body if isinstance(each, Function)]
    public = [each for each in every if not each.name.startswith("_")]
    return list({each.name: each for each in public}.values())


def parameters(node: Function | Class) -> set[str]:
    """The names that may be passed: a function's parameters, or those of a class's constructor."""
    if isinstance(node, Function):
        every = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
        rest = [each for each in (node.args.vararg, node.args.kwarg) if each is not None]
        return {each.arg for each in (*every, *rest)} - {"self", "cls"}
    made = [each for each in node.body if isinstance(each, Function) and each.name == "__init__"]
    return set().union(_fields(node), *map(parameters, made))


def _assignment(text: str) -> str:
    """An assignment; of a long union, a member a line."""
    name, _, value = text.partition(" = ")
    if len(text) <= _LINE or " | " not in value:
        return text
    members = value.replace(" | ", "\n    | ")
    return f"{name} = (\n    {members}\n)"


def _fields(node: Class) -> dict[str, ast.AnnAssign]:
    """The public fields by name, in their order."""
    annotated = [each for each in node.body if isinstance(each, ast.AnnAssign)]
    named = {ast.unparse(each.target): each for each in annotated}
    return {name: each for name, each in named.items() if not name.startswith("_")}


def _members(node: Class) -> Iterator[str]:
    for field in _fields(node).values():
        yield f"    {ast.unparse(field)}"
    for each in node.body:
        if isinstance(each, ast.Assign) and ast.unparse(each.targets[0]).isupper():
            yield f"    {ast.unparse(each)}"
        if isinstance(each, Function) and each.name in _CALLED:
            yield _indent(_head(each))
    for method in methods(node):
        for decorator in method.decorator_list:
            if ast.unparse(decorator) in {"property", "classmethod", "staticmethod"}:
                yield f"    @{ast.unparse(decorator)}"
        yield _indent(_head(method))


def _class_head(node: Class) -> str:
    bases = ", ".join(ast.unparse(base) for base in node.bases)
    return f"class {node.name}({bases})" if bases else f"class {node.name}"


def _head(node: Function) -> str:
    """`async def name(…) -> Result`, a parameter a line if it is long."""
    start = "async def" if isinstance(node, ast.AsyncFunctionDef) else "def"
    result = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    short = f"{start} {node.name}({ast.unparse(node.args)}){result}"
    if len(short) <= _LINE:
        return short
    lines = "".join(f"    {each},\n" for each in _split(ast.unparse(node.args)))
    return f"{start} {node.name}(\n{lines}){result}"


def _split(arguments: str) -> Iterator[str]:
    """Parameters one by one: the commas inside brackets and texts do not count."""
    depth, start, quote = 0, 0, ""
    for position, character in enumerate(arguments):
        if character in "'\"":
            quote = "" if quote == character else quote or character
        elif not quote:
            depth += (character in "([{") - (character in ")]}")
            if character == "," and depth == 0:
                yield arguments[start:position].strip()
                start = position + 1
    yield arguments[start:].strip()


def _indent(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.splitlines())
