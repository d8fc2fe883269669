"""What a model of Anthropic's takes, of the parameters that not every one does."""

from dataclasses import dataclass, replace

__all__ = ["Dialect"]


@dataclass(frozen=True, slots=True)
class Dialect:
    """Begins with what the newest models take; refusals do not say what they are about.

    Attributes:
        thinks_adaptively: Whether the model decides itself how long it thinks; older ones are
            given a budget.
        enforces_schema: Whether a schema is sent.
    """

    thinks_adaptively: bool = True
    enforces_schema: bool = True

    def next(self) -> "Dialect | None":
        """The one to try after this one, each combination once; None after the last."""
        if self.thinks_adaptively:
            return replace(self, thinks_adaptively=False)
        return Dialect(enforces_schema=False) if self.enforces_schema else None
