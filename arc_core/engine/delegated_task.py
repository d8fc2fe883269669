"""The task that an agent gives to another one."""

from dataclasses import dataclass

from arc_core.command import AgentCommand


@dataclass(frozen=True, slots=True, kw_only=True)
class DelegatedTask:
    """A task on its way to another agent.

    Attributes:
        command: For that agent, with the task as the model has written it.
        shown: The task as everyone but that agent may see it.
        call_index: The place of the call among all calls of the run that asks.
    """

    command: AgentCommand
    shown: str
    call_index: int
