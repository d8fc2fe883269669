"""Registers the tools of MCP servers, if `mcp.servers` names any."""

from importlib.util import find_spec

from arc_core import ConfigurationError, Logger, Registry, ServiceSource, Tool, ToolSource, hookimpl
from arc_core.conditions import on_setting
from arc_core.settings import ContextSettings, LlmSettings
from arc_plugins.tools.mcp.settings import McpSettings


@hookimpl
def arc_register(registry: Registry) -> None:
    """Without servers the library is not imported."""
    has_servers = on_setting("mcp.servers")
    registry.contribute(Tool, mcp_tools, name="mcp", condition=has_servers)
    registry.contribute(ServiceSource, mcp_services, name="mcp_logins", condition=has_servers)


def mcp_tools(
    *, settings: McpSettings, context: ContextSettings, llm: LlmSettings, logger: Logger
) -> ToolSource:
    """The tools of all servers.

    A missing package is an error here and no condition: what is configured must not vanish quietly.
    """
    _check_package()
    from arc_plugins.tools.mcp.source import McpTools

    return McpTools(
        settings=settings,
        max_output_chars=context.keep_result_chars,
        max_reply_bytes=llm.max_reply_bytes,
        logger=logger,
    )


def mcp_services(*, settings: McpSettings) -> ServiceSource:
    """The services at which people log in for servers."""
    _check_package()
    from arc_plugins.tools.mcp.authorization import McpServices

    return McpServices(settings)


def _check_package() -> None:
    if find_spec("mcp") is None:
        raise ConfigurationError(
            "mcp.servers names servers, and none of them can be reached from here",
            evidence=["the package mcp is not installed"],
            remedy='pip install "arc-agents[mcp]", or remove the setting',
        )
