"""What production demands of every application: `ARC_PROFILE=prod` starts none without it."""

from arc_core import ConfigurationError, Hook, Registry, hookimpl
from arc_core.conditions import on_profile, on_setting

__all__ = ["MissingForProduction", "arc_register"]

DEMANDED = ("durable.enabled", "telemetry.metrics", "globex.usage_file")


class MissingForProduction(Hook):
    """Stops the start; it takes part where one of the settings is missing."""

    def start(self) -> None:
        """Refuse to start.

        Raises:
            ConfigurationError: Always.
        """
        raise ConfigurationError(
            "in production every application of Globex keeps its runs, is measured, and logs usage",
            evidence=[f"needed are {', '.join(DEMANDED)}; `arc config` shows what is set"],
            remedy="set all of them below [profiles.prod], as the README of globex-arc shows",
        )


@hookimpl
def arc_register(registry: Registry) -> None:
    """Arc calls this once, at start-up."""
    has_runs, has_metrics, has_log = map(on_setting, DEMANDED)
    registry.contribute(
        Hook,
        "globex_arc.production:MissingForProduction",
        name="missing_for_production",
        condition=on_profile("prod") & ~(has_runs & has_metrics & has_log),
    )
