"""Applications whose model says the same again and again."""

from typing import Any

from arc_autoconfig import Application, ArcSettings
from arc_core import AgentCommand
from arc_core.testing import ScriptedChatModel

__all__ = ["QUESTION", "application"]

QUESTION = AgentCommand(user_prompt="How is it going?", user_id="ann", temperature=0.0)


def application(
    answer: str, *components: object, **settings: Any
) -> tuple[Application, ScriptedChatModel]:
    """An application, not entered yet, and its model."""
    model = ScriptedChatModel([answer] * 10)
    return Application(ArcSettings(**settings), register=[model, *components]), model
