"""What a command may have, within what the settings allow."""

from arc_core.command import AgentCommand, AgentMode
from arc_core.settings import LlmSettings

__all__ = ["temperature_of", "tool_call_limit"]


def temperature_of(command: AgentCommand, llm: LlmSettings) -> float | None:
    """The temperature the model is asked at; None leaves it to the vendor."""
    return llm.temperature if command.temperature is None else command.temperature


def tool_call_limit(command: AgentCommand, *, allowed: int) -> int:
    """How many tool calls a run may make; 0 if it has no tools."""
    if command.mode is AgentMode.STANDARD:
        return 0
    wanted = command.max_tool_calls
    limit = max(0, allowed if wanted is None else min(wanted, allowed))
    limits = command.limits
    if limits is None or limits.max_tool_calls is None:
        return limit
    return min(limit, limits.max_tool_calls)
