"""The settings sections that components ask for, by their class."""

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from arc_autoconfig.containment import Contained
from arc_autoconfig.decide.slot_choice import can_do_without, settings_of_entry
from arc_autoconfig.declare.candidates import Candidate
from arc_autoconfig.errors import InjectionError, SettingsError, describe_cause, fold_name
from arc_autoconfig.settings import ArcSettings
from arc_autoconfig.settings.inputs.variables import from_text
from arc_autoconfig.settings.keys import settings_error
from arc_autoconfig.settings.plugin_sections import make_instance, make_model
from arc_core.components.extension_points import Slot
from arc_core.text.names import with_article


class Sections:
    """Hands out sections by their class.

    A class that is not a section of the settings gets the values below `plugins.settings.<plugin>`.
    """

    def __init__(self, settings: ArcSettings) -> None:
        self.unread = set(settings.plugins.settings)
        self.own: dict[str, object] = {}
        self.own_classes: set[type] = set()
        self._settings = settings
        self._of_entries: dict[str, ArcSettings] = {}

    def section(
        self,
        wanted: type,
        *,
        candidate: Candidate,
        has_default: bool = False,
        is_optional: bool = False,
    ) -> object | None:
        """The section of a class, for a component."""
        if self._settings.has_section(wanted):
            return self._settings_for(candidate).section(wanted)
        if is_optional and candidate.origin.plugin is None:
            return None
        return self._plugins_own(wanted, candidate, has_default=has_default)

    def has(self, wanted: type) -> bool:
        """Return True if a class is a section of the settings, and not one of a plugin's own."""
        return self._settings.has_section(wanted)

    def can_do_without(self, candidate: Candidate) -> bool:
        """Return True if an application may start without a component that the settings list."""
        entry, place = candidate.entry, candidate.place
        if entry is None or not isinstance(place, Slot):
            return False
        return can_do_without(self._settings, place, entry.name)

    def _settings_for(self, candidate: Candidate) -> ArcSettings:
        """The application's, for an entry of theirs with what it says."""
        entry, place = candidate.entry, candidate.place
        if entry is None or not isinstance(place, Slot):
            return self._settings
        if entry.setting not in self._of_entries:
            settings = settings_of_entry(self._settings, place, entry.name)
            self._of_entries[entry.setting] = settings
        return self._of_entries[entry.setting]

    def _plugins_own(self, wanted: type, candidate: Candidate, *, has_default: bool) -> object:
        plugin = candidate.origin.plugin
        tables = self._settings.plugins.settings
        name = next((each for each in tables if fold_name(each) == fold_name(plugin or "")), plugin)
        if has_default and name not in tables:
            return None
        if name is None:
            raise InjectionError(
                f"{candidate} asks for {wanted.__qualname__}, which is not a section of settings",
                remedy="hand it over when you register the component: register=[Component(…)]",
            )
        self.unread.discard(name)
        table = tables.get(name)
        if table is None:
            _check_sets_itself(wanted, candidate, name)
        self.own[name] = self._validate(wanted, name, table or {})
        self.own_classes.add(wanted)
        return self.own[name]

    def _validate(self, wanted: type, name: str, table: Mapping[str, Any]) -> object:
        spelt = {key.replace("-", "_"): key for key in table}
        with Contained() as attempt:  # a plugin's own checks run here
            model = make_model(wanted)
            given = {
                key: from_text(model.model_fields.get(key), table[as_set])
                for key, as_set in spelt.items()
            }
            return make_instance(wanted, model.model_validate(given))
        error = attempt.error
        assert error is not None
        if isinstance(error, ValidationError):
            model = make_model(wanted)
            keys = {**dict.fromkeys(model.model_fields, None), **spelt}
            full = {key: f"plugins.settings.{name}.{as_set or key}" for key, as_set in keys.items()}
            origins = {key: f"{full[key]}, {self._settings.origin_of(full[key])}" for key in full}
            raise settings_error(model, error, origins) from None
        raise SettingsError(
            f"plugins.settings.{name} is wrong",
            evidence=[describe_cause(error)],
            remedy="correct the value",
        ) from error


def declare_deps(name: str) -> str:
    """Return the remedy by which a program declares that callers hand values of a class to runs."""
    return f"write Application(deps={name}), or @run_deps above the class"


def _check_sets_itself(wanted: type, candidate: Candidate, name: str) -> None:
    """Check that a class of which nothing is set can be made without a value."""
    fields = make_model(wanted).model_fields.items()
    required = [key for key, each in fields if each.is_required()]
    if required:
        cls = wanted.__qualname__
        keys = ", ".join(f"plugins.settings.{name}.{key}" for key in required)
        raise InjectionError(
            f"{candidate.owner} asks for {with_article(cls)}, and there is none",
            evidence=[f"it is read as settings of the module, and {keys} is not set"],
            remedy=f"if callers hand one to each run, {declare_deps(cls)}; if it is settings, set "
            "them",
        )
