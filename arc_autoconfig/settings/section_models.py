"""The model that validates a section, made from a pydantic model or a dataclass."""

import types
from dataclasses import MISSING, fields, is_dataclass
from functools import lru_cache
from typing import Any, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, RootModel, create_model

from arc_autoconfig.settings.keys import is_list_section
from arc_core.settings import Section

__all__ = ["get_values", "make_instance", "make_model"]


@lru_cache(maxsize=64)
def make_model(section: type) -> type[BaseModel]:
    """A model that refuses unknown keys, unless the section's own says otherwise."""
    if is_dataclass(section):
        hints = get_type_hints(section, include_extras=True)
        definitions: Any = {
            each.name: (hints[each.name], _read_default(each))
            for each in fields(section)
            if each.init
        }
        made: type[BaseModel] = create_model(
            section.__name__, __base__=Section, __module__=section.__module__, **definitions
        )
        return made
    assert issubclass(section, BaseModel)
    if "extra" in section.model_config or is_list_section(section):
        return section
    namespace = {"model_config": ConfigDict(extra="forbid"), "__module__": section.__module__}
    strict: type[BaseModel] = types.new_class(
        section.__name__, (section,), exec_body=lambda body: body.update(namespace)
    )
    return strict


def make_instance(section: type, values: BaseModel) -> object:
    """A section of the class that its plugin wrote; `values` itself unless that is a dataclass."""
    if not is_dataclass(section):
        return values
    names = [each.name for each in fields(section) if each.init]
    return section(**{name: getattr(values, name) for name in names})


def get_values(section: object) -> object:
    """The values of a section by name, or one after the other; anything else as it is."""
    if isinstance(section, RootModel):
        return [get_values(each) for each in section.root]
    if isinstance(section, BaseModel):
        names = [*type(section).model_fields, *(section.model_extra or ())]
        return {name: getattr(section, name) for name in names}
    if is_dataclass(section) and not isinstance(section, type):
        return {each.name: getattr(section, each.name) for each in fields(section) if each.init}
    return section


def _read_default(field: Any) -> Any:
    if field.default_factory is not MISSING:
        return Field(default_factory=field.default_factory)
    return ... if field.default is MISSING else field.default
