"""Offers the host that `llm.host` names, and all of them to entries of `llm.models`.

Their libraries are imported only if credentials are fetched with them.
"""

from arc_core import Host, Registry, hookimpl
from arc_core.conditions import on_setting


@hookimpl
def arc_register(registry: Registry) -> None:
    """Contribute the hosts."""
    several = on_setting("llm.models")
    for name, cls in (("azure", "AzureHost"), ("bedrock", "BedrockHost"), ("vertex", "VertexHost")):
        place = f"arc_plugins.hosts.{name}.host:{cls}"
        registry.contribute(
            Host, place, name=name, condition=on_setting("llm.host", name) | several
        )
