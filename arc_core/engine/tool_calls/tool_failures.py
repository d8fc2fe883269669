"""What the model is told of a tool that has given no result."""

from arc_core.engine.tool_calls.tool_output import UnreadableOutputError
from arc_core.errors import ToolArgumentsError
from arc_core.log import get_logger
from arc_core.messages import ToolOutcome

__all__ = ["tell_interruption", "tell_invalid_arguments", "tell_timeout", "tell_unreadable"]

logger = get_logger("tool_calls")


def tell_invalid_arguments(name: str, error: ToolArgumentsError) -> tuple[str, ToolOutcome]:
    """The arguments do not fit the schema."""
    text = f"Error: Invalid arguments for tool '{name}': {error}"
    return text, ToolOutcome.INVALID_ARGUMENTS


def tell_unreadable(name: str, error: UnreadableOutputError) -> tuple[str, ToolOutcome]:
    """The tool returned neither text nor JSON."""
    logger.error(
        "tool returned what is neither text nor JSON; return str or JSON values",
        tool=name,
        returned=str(error),
    )
    text = f"Error: Tool '{name}' returned data that is neither text nor JSON"
    return text, ToolOutcome.FAILED


def tell_timeout(name: str, timeout_s: float) -> tuple[str, ToolOutcome]:
    """The tool took longer than its time-out."""
    logger.warning("tool timed out", tool=name, timeout_s=timeout_s)
    text = f"Error: Tool '{name}' timed out after {timeout_s:g} seconds"
    return text, ToolOutcome.TIMED_OUT


def tell_interruption(name: str, *, denial: str | None = None) -> tuple[str, ToolOutcome]:
    """The call was being made when a process ended, and must not be made twice.

    Args:
        name: Of the tool.
        denial: Why a person has decided so; None if none was asked.
    """
    logger.warning("tool was called when the process ended, and is not called again", tool=name)
    text = (
        f"Error: The call of the tool '{name}' was interrupted. It is unknown whether it took "
        "effect; it was not made again."
    )
    if denial is not None:
        text = f"{text} A person has decided so: {denial}"
    return text, ToolOutcome.INTERRUPTED
