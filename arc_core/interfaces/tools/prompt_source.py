"""Prompts that a source of tools has ready, such as those of MCP servers.

Asked by `arc mcp prompts`, and by the function of `prompt_instructions` once per run; a run whose
instructions cannot be written ends.
"""

from abc import abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferedPrompt:
    """A prompt that another program has ready.

    Attributes:
        name: With its place: `mcp:shop/refunds`.
        description: In words for people.
        arguments: The names of what may be filled in.
        required: Those of them that must be.
    """

    name: str
    description: str
    arguments: Sequence[str] = ()
    required: Collection[str] = ()


@runtime_checkable
class PromptSource(Protocol):
    """A source of tools with prompts, which may be the instructions of agents."""

    @abstractmethod
    async def list_prompts(self) -> Sequence[OfferedPrompt]:
        """The prompts of all places; `arc mcp prompts` asks a component that is not started."""

    @abstractmethod
    async def write_prompt(self, name: str, arguments: Mapping[str, str]) -> str | None:
        """The text of a prompt; None if no place of the source has its name.

        Raises:
            Exception: It cannot be written now.
        """
