"""Whether a tool reads a model's arguments itself.

The engine asks, once per tool call, a tool that is also one of these; for any other tool it parses
the JSON and checks it against the tool's `parameters`.
"""

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, Protocol, runtime_checkable

__all__ = ["ParsesArguments"]


@runtime_checkable
class ParsesArguments(Protocol):
    """A tool that parses the model's JSON itself, more precisely than a JSON Schema can."""

    @abstractmethod
    def parse_arguments(self, text: str) -> Mapping[str, Any]:
        """Arguments for `call`.

        Raises:
            ToolArgumentsError: They do not fit; names every field and what is wrong with it.
        """
        ...
