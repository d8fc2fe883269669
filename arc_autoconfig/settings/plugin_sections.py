"""The sections of the group `arc.settings` that packages bring, and the class with all of them."""

import inspect
import sys
import types
from collections.abc import Iterator, Sequence
from dataclasses import MISSING, dataclass, field, fields, is_dataclass, replace
from functools import lru_cache
from importlib import import_module
from operator import attrgetter
from typing import Annotated, Any, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, RootModel, WrapValidator, create_model

from arc_autoconfig.containment import Contained
from arc_autoconfig.errors import PluginError, describe_cause
from arc_autoconfig.installed import ARC_DISTRIBUTION, SECTIONS_GROUP, EntryPointLine
from arc_autoconfig.settings.keys import entries_of_list, is_list_section, is_section
from arc_autoconfig.settings.sections import PluginsSettings
from arc_core.settings import ListSection, OpenSection, Section

_NO_PLUGINS = frozenset({SECTIONS_GROUP, "arc.commands", "arc.interfaces"})


@dataclass(frozen=True, slots=True, kw_only=True)
class BroughtSection:
    """A class of settings that a package brings.

    Attributes:
        key: The section, `redis`, or, for settings that are added to one, `cache.redis`.
        section: The class as the package wrote it; None if it is not loaded.
        model: What validates it; None if it is not loaded.
        cause: Why it is not loaded; None if it is, or if its plugin is not wanted.
    """

    key: str
    line: EntryPointLine
    section: type | None = None
    model: type[BaseModel] | None = None
    cause: str | None = None
    error: BaseException | None = field(default=None, compare=False)

    @property
    def head(self) -> str:
        """The top-level key."""
        return self.key.partition(".")[0]

    def as_broken(self, cause: str | BaseException) -> "BroughtSection":
        """The same, not loaded."""
        error = cause if isinstance(cause, BaseException) else None
        text = describe_cause(cause) if isinstance(cause, BaseException) else cause
        return replace(self, section=None, model=None, cause=text, error=error)

    def __str__(self) -> str:
        return f"{self.line.distribution} {self.line.version} ({self.line.value})"


def brought_sections(
    plugins: PluginsSettings | None, lines: Sequence[EntryPointLine]
) -> tuple[BroughtSection, ...]:
    """Import the sections of wanted plugins; without `plugins`, only those of Arc itself."""
    found = [
        _load(line, is_wanted=_is_wanted(line, plugins, lines)) for line in named_in_metadata(lines)
    ]
    by_key: dict[str, BroughtSection] = {}
    for each in found:
        first = by_key.setdefault(each.key, each)
        if first.line.distribution != each.line.distribution:
            raise PluginError(
                f"two packages bring the section {first.key} of the settings",
                evidence=[str(first), str(each)],
                remedy="uninstall one of them",
            )
    return tuple(found)


def imported_sections(lines: Sequence[EntryPointLine]) -> tuple[BroughtSection, ...]:
    """The sections whose modules are imported already; all others are there without a class."""
    return tuple(
        _load(line, is_wanted=line.module in sys.modules) for line in named_in_metadata(lines)
    )


def check_loaded(sections: Sequence[BroughtSection], *, distribution: str | None) -> None:
    """Check that the sections of a package are not broken: without them its plugins are."""
    for each in sections:
        if each.cause is not None and each.line.distribution == distribution:
            raise PluginError(
                f"its section {each.key} of the settings cannot be used",
                evidence=[each.cause, f"its place: {each.line.value}"],
                remedy="correct the class, or the entry point",
            ) from each.error


def named_in_metadata(lines: Sequence[EntryPointLine]) -> Iterator[EntryPointLine]:
    """The entry points that bring sections."""
    return (line for line in lines if line.group == SECTIONS_GROUP)


def _is_wanted(
    line: EntryPointLine, plugins: PluginsSettings | None, lines: Sequence[EntryPointLine]
) -> bool:
    """Say whether a plugin of the section's package is loaded; without plugins, `autoload` does."""
    if line.is_arcs_own or plugins is None:
        return line.is_arcs_own
    beside = [
        each
        for each in lines
        if each.distribution == line.distribution and each.group not in _NO_PLUGINS
    ]
    wanted = (
        (plugins.autoload or each.is_named_by(plugins.enabled))
        and not each.is_named_by(plugins.disabled)
        for each in beside
    )
    return any(wanted) if beside else plugins.autoload


def _load(line: EntryPointLine, *, is_wanted: bool) -> BroughtSection:
    brought = BroughtSection(key=line.name, line=line)
    if not is_wanted:
        return brought
    with Contained() as attempt:
        section = _import_section(line.value)
        model = make_model(section)
        _check(line.name, model)
        return replace(brought, section=section, model=model)
    assert attempt.error is not None
    return brought.as_broken(attempt.error)


def _import_section(value: str) -> type:
    module, _, attribute = value.partition(":")
    if not attribute:
        raise PluginError(
            f"{value} does not name a class", remedy="write it as package.module:ClassName"
        )
    section: Any = attrgetter(attribute)(import_module(module))
    if isinstance(section, type) and (issubclass(section, BaseModel) or is_dataclass(section)):
        return section
    raise PluginError(
        f"{value} is neither a pydantic model nor a dataclass",
        remedy="derive it from arc_core.settings.Section",
    )


def _check(key: str, model: type[BaseModel]) -> None:
    """Raise what is wrong with a section before anything has been set."""
    parts = key.split(".")
    if len(parts) > 2 or not all(map(_is_plain, parts)):
        raise PluginError(
            f"{key!r} cannot be the name of a section",
            remedy="use small letters, digits and single underscores, as in redis or cache.redis",
        )
    if is_list_section(model):
        _check_list(key, model)
        return
    required = [name for name, each in model.model_fields.items() if each.is_required()]
    if required:
        raise PluginError(
            f"the setting {parts[0]}.{required[0]} has no default",
            remedy="give it one, None for example, so that Arc starts before it is set",
        )


def _check_list(key: str, model: type[BaseModel]) -> None:
    if "." in key or entries_of_list(model) is None:
        raise PluginError(
            f"{key!r} cannot be a list",
            remedy="derive a section of its own from arc_core.settings.ListSection, and name the "
            "class of its tables: ListSection[ScheduleSettings]",
        )
    if model.model_fields["root"].is_required():
        raise PluginError(
            f"the list {key} has no default",
            remedy="give it one, () for example, so that Arc starts before it is set",
        )


def _is_plain(part: str) -> bool:
    is_name = part.isidentifier() and part.isascii() and part == part.lower()
    return is_name and "__" not in part and not part.startswith("_")


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
        for info in cls.model_fields.values():  # built after the class, they are built twice
            if is_section(info.annotation):
                info.annotation.model_rebuild(raise_errors=True)
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
    for name, info in cls.model_fields.items():
        section = info.annotation
        for part in section.__mro__ if is_section(section) else ():
            if is_section(part) and part not in _BASES:
                homes.setdefault(part, set()).add(name)
    for each in brought:
        if each.section is not None:
            homes.setdefault(each.section, set()).add(each.head)
    return {part: next(iter(names)) for part, names in homes.items() if len(names) == 1}
