"""How a run puts its questions to the model: the same way for each of them."""

from arc_core.command import AgentCommand
from arc_core.engine.answers.response_schemas import request_schema
from arc_core.engine.command_options import temperature_of
from arc_core.engine.models.models import RunModel
from arc_core.engine.session_memory import session_key
from arc_core.interfaces.chat_model import ChatRequest, ToolChoice
from arc_core.interfaces.tool import Tool
from arc_core.messages import Message

__all__ = ["chat_request"]


def chat_request(
    command: AgentCommand,
    model: RunModel,
    *,
    system_prompt: str,
    messages: tuple[Message, ...],
    tools: tuple[Tool, ...] = (),
    tool_choice: ToolChoice = "none",
    stable_messages: int = 0,
) -> ChatRequest:
    """A question to the model, with the command's options, else those of its settings."""
    llm = model.llm
    return ChatRequest(
        system_prompt=system_prompt,
        messages=messages,
        tools=tools,
        tool_choice=tool_choice,
        model=model.vendor_model(command),
        temperature=temperature_of(command, llm),
        max_output_tokens=llm.max_output_tokens,
        response_format=command.response_format,
        reasoning=llm.reasoning,
        response_schema=request_schema(command),
        cache_key=session_key(command),
        stable_messages=stable_messages,
    )
