"""The masks of texts that are written to files: of recordings that are exported.

`app.export` and `arc runs export` ask every mask about every text of a run, whatever the settings
say of answers, and output guards that declare `pure = True` after them. Masks fail closed: if one
raises, nothing is exported.
"""

from abc import abstractmethod
from typing import Protocol, runtime_checkable

from arc_core.components.extension_points import contribution, on_demand


@on_demand
@contribution("text_masks", group="arc.text_masks", fails_closed=True)
@runtime_checkable
class TextMask(Protocol):
    """Replaces what must not stand in a file. Orders below 100 are Arc's own.

    Attributes:
        order: Lower is asked first; each gets what the one before has left.
    """

    order: int = 100

    @abstractmethod
    async def mask(self, text: str) -> str:
        """Return the text with secrets or personal data replaced; the same text twice alike.

        Args:
            text: A prompt, an answer, a value in a tool's arguments or results, a whole document.

        Raises:
            ConfigurationError: It cannot tell here, since something is not installed.
        """
