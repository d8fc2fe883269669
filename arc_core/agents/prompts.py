"""Instructions of an agent that another program has ready, such as a prompt of an MCP server."""

from collections.abc import Callable, Mapping

from arc_core.components.injection import Inject
from arc_core.errors import ConfigurationError
from arc_core.interfaces.tools.prompt_source import PromptSource
from arc_core.interfaces.tools.tool import Tool, ToolSource


def prompt_instructions(
    name: str, arguments: Mapping[str, str] | None = None
) -> Callable[..., object]:
    """Return a function for `Agent.instructions` that has a prompt written for each run.

    Args:
        name: With its place: `mcp:shop/refunds`.
        arguments: Of the prompt.
    """

    async def write_instructions(tools: Inject[list[Tool | ToolSource]]) -> str:
        for source in tools:
            if isinstance(source, PromptSource):
                text = await source.write_prompt(name, arguments or {})
                if text is not None:
                    return text
        raise ConfigurationError(
            f"no source of tools has the prompt {name}",
            remedy="choose one of those that `arc mcp prompts` lists",
        )

    return write_instructions
