"""Marks of settings are found wherever the annotation bears them."""

from typing import Annotated

from pydantic import Field

from arc_core.settings import Section
from arc_core.settings.sections import Hidden, NeedsTrust, find_mark

CALLED = NeedsTrust("it is called")


class Places(Section):
    """Marks at every place of an annotation."""

    outside: Annotated[str | None, CALLED] = Field(default=None)
    inside: Annotated[str, CALLED] | None = None
    member: tuple[Annotated[str, CALLED], ...] = ()
    none: str = ""


def test_a_mark_is_found_in_every_part_of_an_annotation() -> None:
    """Around the whole, on one of a union's members, on what a collection holds."""
    marks = {name: find_mark(field, NeedsTrust) for name, field in Places.model_fields.items()}

    assert marks == {"outside": CALLED, "inside": CALLED, "member": CALLED, "none": None}


def test_marks_of_another_kind_are_not_taken_for_it() -> None:
    """A setting that is hidden may need no trust."""
    assert find_mark(Places.model_fields["outside"], Hidden) is None
