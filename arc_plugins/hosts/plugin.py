"""Offers the hosts that `llm.host` and the entries of `llm.models` name.

Their libraries are imported only if credentials are fetched with them.
"""

from arc_core import Host, Registry, hookimpl
from arc_core.conditions import on_setting


@hookimpl
def arc_register(registry: Registry) -> None:
    """Contribute the hosts."""
    for name, cls in (("azure", "AzureHost"), ("bedrock", "BedrockHost"), ("vertex", "VertexHost")):
        place = f"arc_plugins.hosts.{name}.host:{cls}"
        named = on_setting("llm.host", name) | on_setting("llm.models.*.host", name)
        registry.contribute(Host, place, name=name, condition=named)
