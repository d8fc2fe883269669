"""Candidates: where they are, and how they are called."""

import pytest

from arc_autoconfig.declare.candidates import Origin, Reference, Source, get_name
from arc_core import Guard, tool
from tests.arc_autoconfig.offers import ACME, ARC, CODE, OpenGuard, offer


@tool
def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


def test_a_reference_loads_what_it_names() -> None:
    """The text leads to the attribute of the module, nested ones too."""
    assert Reference.parse("collections:OrderedDict.fromkeys").load() is not None
    assert Reference.parse(f"{__name__} : add").load() is add


@pytest.mark.parametrize("text", ["module", "module:", ":attribute", "a b:c", "a.b.c", "a:b:c", ""])
def test_a_reference_of_another_form_is_refused(text: str) -> None:
    """The error shows the text and the form it should have."""
    with pytest.raises(ValueError, match=r"package\.module:attribute"):
        Reference.parse(text)


@pytest.mark.parametrize(
    ("component", "name"),
    [
        (add, "add"),
        (OpenGuard, "OpenGuard"),
        (OpenGuard(), "OpenGuard"),
        (Reference("acme.pii", "PiiGuard"), "PiiGuard"),
    ],
)
def test_a_component_without_a_name_is_called_after_itself(component: object, name: str) -> None:
    """A tool by its name, anything else by its class."""
    assert get_name(component) == name


@pytest.mark.parametrize(
    ("origin", "text"),
    [
        (ACME, "acme-arc 1.2"),
        (CODE, "registered in code"),
        (Origin(source=Source.PLUGIN, plugin="my_app.policies"), "plugins.load my_app.policies"),
        (Origin(source=Source.OVERRIDE), "container override"),
    ],
)
def test_an_origin_reads_as_who_brought_it(origin: Origin, text: str) -> None:
    """Distribution and version where there are some, else the way in."""
    assert str(origin) == text


def test_a_candidate_says_where_its_code_is() -> None:
    """Of a class, of an instance and of what is not imported yet."""
    place = f"{OpenGuard.__module__}:OpenGuard"

    assert offer(Guard, "open", component=OpenGuard).reference == place
    assert offer(Guard, "open", component=OpenGuard()).reference == place
    assert offer(Guard, "pii", component=Reference("acme", "Pii")).reference == "acme:Pii"
    assert str(offer(Guard, "open", origin=ARC)) == "open (arc-agents 0.1.0)"
