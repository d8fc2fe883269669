"""The pages of the reference, and what is wrong with the docstrings they are made of."""

import ast
from collections import defaultdict
from collections.abc import Iterator, Sequence

from docstring_parser import Docstring, DocstringParam, DocstringRaises, DocstringReturns, google

from reference.definitions import Class, Definition, Function, definitions
from reference.signatures import methods, parameters, signature

__all__ = ["PACKAGES", "entry", "flaws", "index", "pages", "problems"]

PACKAGES = {
    "arc_core": "What everyone speaks: commands, results, messages, events, errors, interfaces",
    "arc_core.assembly": "Objects from streams of deltas",
    "arc_core.messages.attachments": "What stores and managers do with attachments of messages",
    "arc_core.forms": "Commands, messages, parts, events and results as JSON",
    "arc_core.testing": "A scripted chat model and fakes, for tests",
    "arc_autoconfig": "The application, its container and settings, conditions, the report",
    "arc_autoconfig.testing": "Applications in surroundings that a test describes",
}

_BY_MODULE = {"arc_core", "arc_autoconfig"}  # too much for a page
_NOTE = "This page is made from the docstrings by `make docs`: change those, not the page."

Public = tuple[str, Definition]
"""A public name, behind the package that it is imported from."""


def pages() -> dict[str, str]:
    """The text of each page, by its name: a package, or a module of one that exports much."""
    return {name: _page(name, entries) for name, entries in _contents().items()}


def index() -> str:
    """The page that lists the pages, and the names on each."""
    contents = _contents()
    lines = ["# API reference", "", "What programs and plugins import, by where it is defined."]
    for package, text in PACKAGES.items():
        lines += ["", f"## `{package}`", "", f"{text}.", ""]
        for name, entries in sorted(contents.items()):
            names = ", ".join(f"`{each.name}`" for origin, each in entries if origin == package)
            if names:
                lines.append(f"- [{name}]({name}.md): {names}.")
    return "\n".join([*lines, ""])


def _contents() -> dict[str, list[Public]]:
    contents = defaultdict[str, list[Public]](list)
    for package in PACKAGES:
        for each in definitions(package):
            name = each.module if package in _BY_MODULE else package
            contents[name].append((package, each))
    return contents


def _page(name: str, entries: Sequence[Public]) -> str:
    lines = [line for package, each in entries for line in entry(package, each)]
    text = PACKAGES.get(name)
    return "\n".join([f"# `{name}`", "", f"{text}. {_NOTE}" if text else _NOTE, *lines, ""])


def problems(package: str) -> Iterator[str]:
    """Public names without a docstring, and arguments that are described and do not exist."""
    for each in definitions(package):
        name = f"{package}.{each.name}"
        yield from flaws(name, each.node, each.docstring)
        if isinstance(each.node, Class):
            for method in methods(each.node):
                docstring = ast.get_docstring(method) or ""
                yield from flaws(f"{name}.{method.name}", method, docstring)


def flaws(name: str, node: ast.stmt, docstring: str) -> Iterator[str]:
    """What is wrong with the docstring of one definition, which `name` stands for."""
    if not docstring:
        yield f"{name} has no docstring"
    if isinstance(node, Function | Class):
        described = {
            each.arg_name.lstrip("*")
            for each in google.parse(docstring).params
            if each.args[0] == "param"
        }
        for parameter in sorted(described - parameters(node)):
            yield f"{name} describes the argument {parameter}, which it does not take"


def entry(package: str, definition: Definition) -> Iterator[str]:
    """The lines of one definition: import, signature, docstring, and an entry per method."""
    yield from ("", f"## {definition.name}", "")
    yield from (f"`from {package} import {definition.name}`", "")
    yield from ("```py", signature(definition), "```", "")
    yield from _text(definition.docstring)
    if isinstance(definition.node, Class):
        for method in methods(definition.node):
            docstring = ast.get_docstring(method) or ""
            yield from ("", f"### {definition.name}.{method.name}", "", *_text(docstring))


def _text(docstring: str) -> Iterator[str]:
    """A docstring of Google's style as Markdown."""
    parsed = google.parse(docstring)
    description = "\n\n".join(filter(None, [parsed.short_description, parsed.long_description]))
    yield from description.splitlines()
    for title, items in _sections(parsed).items():
        if items:
            yield from ("", f"**{title}**", "", *items)


def _sections(parsed: Docstring) -> dict[str, list[str]]:
    sections: dict[str, list[str]] = {
        "Attributes": [], "Arguments": [], "Returns": [], "Yields": [], "Raises": []
    }  # fmt: skip
    for each in parsed.meta:
        text = " ".join((each.description or "").split())
        match each:
            case DocstringParam():
                title = "Attributes" if each.args[0] == "attribute" else "Arguments"
                sections[title].append(f"- `{each.arg_name}`: {text}")
            case DocstringReturns():
                sections["Yields" if each.is_generator else "Returns"].append(text)
            case DocstringRaises():
                sections["Raises"].append(f"- `{each.type_name}`: {text}")
    return sections
