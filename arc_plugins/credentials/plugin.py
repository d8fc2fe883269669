"""Registers what keeps credentials, as `credentials.backend` says, and nothing without it.

A missing package is an error of the component and no condition: credentials that are asked for must
not be refused quietly.
"""

from arc_core import Credentials, Registry, hookimpl
from arc_core.conditions import on_missing, on_setting


@hookimpl
def arc_register(registry: Registry) -> None:
    """One of three."""
    in_memory, in_database = (on_setting("credentials.backend", each) for each in ("memory", "sql"))
    for name, component, condition in (
        ("memory", "keeping.in_memory_credentials:InMemoryCredentials", in_memory),
        ("sql", "keeping.sql_credentials:SqlCredentials", in_database),
        ("none", "no_credentials:no_credentials", on_missing(Credentials)),
    ):
        registry.provide(
            Credentials, f"arc_plugins.credentials.{component}", name=name, condition=condition
        )
