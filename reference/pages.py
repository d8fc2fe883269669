"""The pages of the reference, and what is wrong with the docstrings they are made of."""

import ast
from collections.abc import Iterator

from docstring_parser import Docstring, DocstringParam, DocstringRaises, DocstringReturns, google

from reference.definitions import Class, Definition, Function, definitions
from reference.signatures import methods, parameters, signature

__all__ = ["PACKAGES", "entry", "flaws", "index", "page", "problems"]

PACKAGES = {
    "arc_core": "What everyone speaks: commands, results, messages, events, errors, interfaces",
    "arc_core.assembly": "Objects from streams of deltas",
    "arc_core.messages.attachments": "What stores and managers do with attachments of messages",
    "arc_core.forms": "Commands, messages, parts, events and results as JSON",
    "arc_core.testing": "A scripted chat model and fakes, for tests",
    "arc_autoconfig": "The application, its container and settings, conditions, the report",
    "arc_autoconfig.testing": "Applications in surroundings that a test describes",
}

_NOTE = "This page is made from the docstrings by `make docs`: change those, not the page."


def index() -> str:
    """The page that lists the pages."""
    lines = [f"- [`{package}`]({package}.md): {text}." for package, text in PACKAGES.items()]
    return "\n".join(["# API reference", "", "What programs and plugins import:", "", *lines, ""])


def page(package: str) -> str:
    """One package: an entry for each public name, in the order of `__all__`."""
    lines = [line for each in definitions(package) for line in entry(each)]
    return "\n".join([f"# `{package}`", "", f"{PACKAGES[package]}. {_NOTE}", *lines, ""])


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


def entry(definition: Definition) -> Iterator[str]:
    """The lines of one definition: signature, docstring, and an entry per public method."""
    yield from ("", f"## {definition.name}", "", f"From `{definition.module}`.", "")
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
