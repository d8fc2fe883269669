"""The texts that people read about failures.

The engine asks once per failed run that has no message of its own (a rejection's reason is one).
"""

from abc import abstractmethod
from typing import Protocol, runtime_checkable

from arc_core.components.extension_points import slot
from arc_core.errors import AgentErrorCode


@slot("error_message_resolver", group="arc.error_message_resolvers")
@runtime_checkable
class ErrorMessageResolver(Protocol):
    """Turns codes into sentences."""

    @abstractmethod
    def resolve(self, code: AgentErrorCode) -> str:
        """One sentence for the person who asked."""
