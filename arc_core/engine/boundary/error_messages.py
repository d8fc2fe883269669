"""What people are told of a failure; the code itself if no text for it can be had."""

from arc_core.engine.boundary import policies
from arc_core.engine.boundary.boundary import Boundary, Failed
from arc_core.errors import AgentErrorCode
from arc_core.interfaces.error_message_resolver import ErrorMessageResolver

__all__ = ["ErrorMessages"]


class ErrorMessages:
    """Asks the resolver; fails open."""

    def __init__(self, resolver: ErrorMessageResolver, *, boundary: Boundary) -> None:
        self._resolver = resolver
        self._boundary = boundary

    def text_of(self, code: AgentErrorCode) -> str:
        """The text of a code."""
        text = self._boundary.call_now(
            policies.ERROR_MESSAGE_RESOLVER, self._resolver, self._resolver.resolve, code
        )
        return code.value if isinstance(text, Failed) else text
