"""The sections that packages bring by the entry points of the group `arc.settings`."""

import sys
import types
from collections.abc import Iterator, Sequence
from dataclasses import MISSING, dataclass, field, fields, is_dataclass, replace
from functools import lru_cache
from importlib import import_module
from operator import attrgetter
from typing import Any, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, RootModel, create_model

from arc_autoconfig.containment import Contained
from arc_autoconfig.errors import PluginError, describe_cause
from arc_autoconfig.installed import SECTIONS_GROUP, EntryPointLine
from arc_autoconfig.settings.keys import entries_of_list, is_list_section
from arc_autoconfig.settings.sections import PluginsSettings
from arc_core.settings import Section

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
