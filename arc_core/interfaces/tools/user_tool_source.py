"""Tools that a source lists for one user at a time.

The engine asks for them when a run begins, once its prompt is let in, and when another agent takes
over; once for each place whose tools the agent may use. Fails open: the run goes on without them.
"""

from abc import abstractmethod
from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from arc_core.interfaces.tools.tool import Tool, ToolContext


@runtime_checkable
class UserToolSource(Protocol):
    """A source of tools that lists some for one user at a time, who has to log in before that.

    Such tools are in no answer of `tools()`, and come after all other tools. An agent that names
    its tools uses those of a place if one of the names begins with its qualifier, or may with its
    wildcards.

    Attributes:
        user_qualifiers: The beginning of the `qualified_name` of these tools, one for each place:
            `mcp:shop/`. Read before each run, so that it may change.
    """

    user_qualifiers: Sequence[str]

    @abstractmethod
    async def list_for(self, qualifier: str, context: ToolContext) -> Sequence[Tool]:
        """Return the tools of a place that the user of a run may be offered.

        `context.credential` asks the user for a login. Then the run waits, and this is called anew
        once they have logged in. Nothing else can be asked.

        Args:
            qualifier: One of `user_qualifiers`.
            context: The run, and whose it is.

        Raises:
            ToolRetry: The user has denied the login. Let it pass: the run goes on without the
                tools.
            CredentialError: There is no credential, and a login would not help; the same.
        """
