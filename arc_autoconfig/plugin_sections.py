"""The settings sections that components ask for: Arc's own, and those of plugins."""

from pydantic import ValidationError

from arc_autoconfig.candidates import Candidate
from arc_autoconfig.errors import InjectionError, folded
from arc_autoconfig.settings import ArcSettings
from arc_autoconfig.settings.problems import settings_error
from arc_core.settings import AgentSettings, Section

__all__ = ["Sections"]


class Sections:
    """Hands out sections by their class.

    A class that is none of Arc's is the plugin's own: its values are those below
    `plugins.settings.<name of the plugin>`.

    Attributes:
        unread: Names below `plugins.settings` that no component has asked for yet.
    """

    def __init__(self, settings: ArcSettings) -> None:
        self.unread = set(settings.plugins.settings)
        self._settings = settings
        values = (getattr(settings, name) for name in type(settings).model_fields)
        self._own = {type(value): value for value in values if isinstance(value, Section)}

    def section(
        self, wanted: type[Section] | type[AgentSettings], *, candidate: Candidate
    ) -> Section | AgentSettings:
        """The section of a class, for a component.

        Raises:
            SettingsError: The plugin's section has unknown keys or wrong values.
            InjectionError: The section is none of Arc's, and the component no plugin's.
        """
        if issubclass(wanted, AgentSettings):
            return self._settings
        return self._own.get(wanted) or self._plugins_own(wanted, candidate)

    def _plugins_own(self, wanted: type[Section], candidate: Candidate) -> Section:
        plugin = candidate.origin.plugin
        if plugin is None:
            raise InjectionError(
                f"{candidate} asks for {wanted.__qualname__}, which is no section of the settings",
                remedy="hand it over when you register the component: register=[Component(…)]",
            )
        tables = self._settings.plugins.settings
        name = next((each for each in tables if folded(each) == folded(plugin)), plugin)
        self.unread.discard(name)
        table = tables.get(name, {})
        spelt = {key.replace("-", "_"): key for key in table}
        try:
            return wanted.model_validate({key: table[as_set] for key, as_set in spelt.items()})
        except ValidationError as error:
            full = {key: f"plugins.settings.{name}.{as_set}" for key, as_set in spelt.items()}
            origins = {key: f"{full[key]}, {self._settings.origin_of(full[key])}" for key in full}
            raise settings_error(wanted, error, origins) from None
