"""The settings as they would be for one entry of a table that lists components of a slot."""

from collections.abc import Mapping

from arc_autoconfig.settings.model import ArcSettings
from arc_core.components.extension_points import ExtensionPoint, Slot
from arc_core.settings import Section


def list_entries(settings: ArcSettings, place: ExtensionPoint) -> Mapping[str, Section]:
    """The sections that list further components of a place, by their names; mostly none."""
    if not isinstance(place, Slot) or place.instances is None:
        return {}
    home, table = _path(place)
    found: Mapping[str, Section] = getattr(getattr(settings, home, None), table, {})
    return found


def can_do_without(settings: ArcSettings, slot: Slot, name: str) -> bool:
    """Say whether an application may start if the component of an entry cannot."""
    section: Section = getattr(settings, _path(slot)[0])
    return section.can_do_without(name)


def choice_in(entry: Section, slot: Slot) -> str | None:
    """The name of the component that an entry chooses to be made by; None if it leaves it open."""
    name: str | None = getattr(entry, (slot.choice or "").rpartition(".")[2], None)
    return name


def settings_of_entry(settings: ArcSettings, slot: Slot, name: str) -> ArcSettings:
    """All settings, with the entry laid over the section in which its table stands."""
    home, table = _path(slot)
    section: Section = getattr(settings, home)
    chosen = {**settings.components.chosen, "exclude": settings.components.exclude}
    chosen.pop(slot.name, None)
    return settings.model_copy(
        update={
            home: section.overlay(getattr(section, table)[name]),
            # It names what fills the slot, which an entry never does.
            "components": type(settings.components).model_validate(chosen),
        }
    )


def _path(slot: Slot) -> tuple[str, str]:
    home, _, table = (slot.instances or "").rpartition(".")
    return home, table
