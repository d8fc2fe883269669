"""Registers the tools of MCP servers, if `mcp.servers` names any."""

from importlib.util import find_spec

from arc_core import ConfigurationError, Logger, Registry, Tool, ToolSource, hookimpl
from arc_core.conditions import on_setting
from arc_core.settings import ContextSettings, LlmSettings
from arc_plugins.tools.mcp.settings import McpSettings


@hookimpl
def arc_register(registry: Registry) -> None:
    """Without servers the library is not imported."""
    registry.contribute(Tool, mcp_tools, name="mcp", condition=on_setting("mcp.servers"))


def mcp_tools(
    *, settings: McpSettings, context: ContextSettings, llm: LlmSettings, logger: Logger
) -> ToolSource:
    """The tools of all servers.

    A missing package is an error here and no condition: what is configured must not vanish quietly.
    """
    if find_spec("mcp") is None:
        raise ConfigurationError(
            "mcp.servers names servers, and none of them can be reached from here",
            evidence=["the package mcp is not installed"],
            remedy='pip install "arc-agents[mcp]", or remove the setting',
        )
    from arc_plugins.tools.mcp.source import McpTools

    return McpTools(
        settings=settings,
        max_output_chars=context.keep_result_chars,
        max_reply_bytes=llm.max_reply_bytes,
        logger=logger,
    )
