"""Every field of every value is in the table."""

from dataclasses import fields
from typing import get_args

import pytest

from arc_core import AgentCommand, AgentEvent, AgentResult, Message, Part
from arc_core.forms.table import FORMS, ClassForm


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_every_field_has_a_kind(form: ClassForm) -> None:
    """A field that was forgotten would be lost on the way."""
    names = (
        list(AgentCommand.model_fields)
        if form.cls is AgentCommand
        else [each.name for each in fields(form.cls)]
    )

    assert list(form.kinds) == names


@pytest.mark.parametrize("union", [Message, AgentEvent, Part])
def test_every_class_of_a_union_has_a_form(union: object) -> None:
    """Commands and results have theirs, too."""
    classes = {form.cls for form in FORMS.values()}

    assert classes >= {*get_args(union), AgentCommand, AgentResult}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_a_type_is_the_name_of_the_class(form: ClassForm) -> None:
    """As Python would write it in a variable's name."""
    words = "".join(f"_{char.lower()}" if char.isupper() else char for char in form.cls.__name__)

    assert form.tag == words.removeprefix("_")
