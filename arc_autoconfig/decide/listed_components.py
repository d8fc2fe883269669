"""Whether the section `components` names what exists, before anything is decided with it."""

from collections.abc import Sequence

from arc_autoconfig.errors import SettingsError, UnknownNameError
from arc_autoconfig.settings import ComponentsSettings

__all__ = ["check_components"]


def check_components(
    components: ComponentsSettings, slots: Sequence[str], *, left_out: Sequence[str] = ()
) -> None:
    """Check that `components` names slots that exist, and what is left out in full.

    Args:
        components: The section.
        slots: The names of those that there are.
        left_out: Why a slot may be unknown, in words for people.

    Raises:
        UnknownNameError: A key is not a slot.
        SettingsError: `exclude` does not say what a component is contributed to.
    """
    for name in components.chosen:
        if name not in slots:
            raise UnknownNameError(setting="components", name=name, known=slots, left_out=left_out)
    for name in components.exclude:
        if ":" not in name:
            raise SettingsError(
                f"components.exclude names {name!r}, and not where it works",
                remedy=f"write it with its contribution before it, as in guards:{name}",
            )
