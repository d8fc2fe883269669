"""Makes one class of settings of Arc's own and of the sections that packages bring."""

import inspect
import types
from collections.abc import Sequence
from functools import lru_cache
from typing import Annotated, Any

from pydantic import BaseModel, Field, RootModel, WrapValidator, create_model

from arc_autoconfig.containment import Contained
from arc_autoconfig.errors import PluginError
from arc_autoconfig.installed import ARC_DISTRIBUTION
from arc_autoconfig.settings.keys import is_section
from arc_autoconfig.settings.plugin_sections import BroughtSection
from arc_core.settings import ListSection, OpenSection, Section

_BASES = (BaseModel, RootModel, Section, ListSection, OpenSection)

_TABLE = Annotated[
    dict[str, Any],
    WrapValidator(lambda value, check: value if type(value) is list else check(value)),
]
"""A section of which nothing is known; it may be a list of tables, too."""


@lru_cache(maxsize=16)
def compose(base: type[BaseModel], brought: tuple[BroughtSection, ...]) -> type[Any]:
    """The class with a field for each section, whose name `_homes` has; or with a table."""
    joined: list[BroughtSection] = []
    definitions: dict[str, Any] = {}
    for head in dict.fromkeys(each.head for each in brought):
        members = [each for each in brought if each.head == head]
        model, members = _section(base, head, members)
        joined += members
        if not _is_closed(base, head):
            definitions[head] = (
                (_TABLE, Field(default_factory=dict))
                if model is None
                else (model, Field(default_factory=model))
            )
    cls: Any = create_model(
        base.__name__,
        __base__=base,
        __module__=base.__module__,
        __doc__=base.__doc__,
        **definitions,
    )
    with Contained() as attempt:
        for field in cls.model_fields.values():  # built after the class, they are built twice
            if is_section(field.annotation):
                field.annotation.model_rebuild(raise_errors=True)
        cls.model_rebuild(raise_errors=True)
        cls._brought, cls._homes = tuple(joined), _homes(cls, joined)
        return cls  # type: ignore[no-any-return]
    buildable = [_mark_unbuildable(each) for each in joined]
    if attempt.error is not None and buildable == joined:  # no member is to blame
        raise attempt.error
    return compose(base, tuple(buildable))


def _mark_unbuildable(member: BroughtSection) -> BroughtSection:
    """The member; broken if pydantic cannot make sense of its class."""
    with Contained() as attempt:
        if member.model is not None:
            member.model.model_rebuild(raise_errors=True)
    return member if attempt.error is None else member.as_broken(attempt.error)


def _section(
    base: type[BaseModel], head: str, members: Sequence[BroughtSection]
) -> tuple[type[BaseModel] | None, list[BroughtSection]]:
    """The section's class, None if there is none, and its members, some of them found broken."""
    own = _own(base, head)
    judged: list[BroughtSection] = []
    for each in members:
        is_loaded = each.model is not None
        judged.append(_check_member(base, each, own=own, beside=judged) if is_loaded else each)
    while True:
        with Contained() as attempt:
            return _join(head, own, judged), judged
        assert attempt.error is not None
        last = max(number for number, each in enumerate(judged) if each.model is not None)
        judged[last] = judged[last].as_broken(attempt.error)


def _check_member(
    base: type[BaseModel],
    member: BroughtSection,
    *,
    own: type[BaseModel] | None,
    beside: Sequence[BroughtSection],
) -> BroughtSection:
    """The member; broken if it cannot be added to Arc's own section."""
    _check_free(base, member)
    if _is_closed(base, member.head):
        return member.as_broken(f"no settings can be added to {member.head}")
    for other in beside:
        if (twice := _setting_in_both(other.model, member.model)) is not None:
            raise PluginError(
                f"two packages bring the setting {member.head}.{twice}",
                evidence=[str(other), str(member)],
                remedy="uninstall one of them",
            )
    twice = _setting_in_both(own, member.model)
    return member.as_broken(f"{member.head}.{twice} is a setting of Arc's") if twice else member


def _own(base: type[BaseModel], head: str) -> type[BaseModel] | None:
    field = base.model_fields.get(head)
    own = field.annotation if field is not None else None
    return own if isinstance(own, type) and issubclass(own, OpenSection) else None


def _is_closed(base: type[BaseModel], head: str) -> bool:
    """Say whether a name stands for something of Arc's that takes no settings of others."""
    is_taken = head in base.model_fields or hasattr(base, head)
    return is_taken and _own(base, head) is None


def _check_free(base: type[BaseModel], member: BroughtSection) -> None:
    """A section of Arc's own is brought already; others may only add settings to it."""
    if member.key in base.model_fields:
        added = f"{member.key}.{member.line.distribution.replace('-', '_')}"
        raise PluginError(
            f"two packages bring the section {member.key} of the settings",
            evidence=[f"{ARC_DISTRIBUTION} itself", str(member)],
            remedy=f"choose another name, or {added} to add settings to the section",
        )


def _join(
    head: str, own: type[BaseModel] | None, members: Sequence[BroughtSection]
) -> type[BaseModel] | None:
    """A class that is all of the parts; those that are part of another one are left out."""
    parts = [each for each in (own, *(each.model for each in members)) if each is not None]
    bases = [one for one in parts if not any(issubclass(o, one) for o in parts if o is not one)]
    is_whole = len(parts) == len(members) + (own is not None)
    if not bases or (len(bases) == 1 and is_whole):
        return bases[0] if bases else None
    namespace = {
        "__module__": __name__,
        "__doc__": parts[0].__doc__,
        "model_config": {**parts[0].model_config, **({} if is_whole else {"extra": "allow"})},
    }
    name = f"{head.title().replace('_', '')}Settings"
    made: type[BaseModel] = types.new_class(
        name, tuple(bases), exec_body=lambda body: body.update(namespace)
    )
    return made


def _setting_in_both(first: type[BaseModel] | None, second: type[BaseModel] | None) -> str | None:
    """A setting that both classes declare, not one of them for the other."""
    if first is None or second is None:
        return None
    shared = sorted(first.model_fields.keys() & second.model_fields.keys())
    return next((each for each in shared if _owner(first, each) is not _owner(second, each)), None)


def _owner(model: type[BaseModel], name: str) -> type[BaseModel]:
    """The class that declares a setting."""
    return next(each for each in model.__mro__ if name in inspect.get_annotations(each))


def _homes(cls: type[BaseModel], brought: Sequence[BroughtSection]) -> dict[type, str]:
    homes: dict[type, set[str]] = {}
    for name, field in cls.model_fields.items():
        section = field.annotation
        for part in section.__mro__ if is_section(section) else ():
            if is_section(part) and part not in _BASES:
                homes.setdefault(part, set()).add(name)
    for each in brought:
        if each.section is not None:
            homes.setdefault(each.section, set()).add(each.head)
    return {part: next(iter(names)) for part, names in homes.items() if len(names) == 1}
