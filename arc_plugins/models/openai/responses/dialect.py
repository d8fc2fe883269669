"""What a model takes, of the parameters that Arc can do without."""

from dataclasses import dataclass, replace

import openai

from arc_plugins.models.openai.refused_parameters import refused_parameters

__all__ = ["Dialect"]

_FIELDS = {
    "include": "takes_include",
    "prompt_cache_key": "takes_cache_key",
    "reasoning.summary": "takes_summary",
    "text": "takes_format",
    "text.format": "takes_format",
}
"""What a rejected parameter changes, by its first two names."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """Begins with everything and learns from the parameters that a model rejects.

    Attributes:
        takes_include: Whether reasoning can be asked for in its encrypted form.
        takes_summary: Whether it sums up what it thought; OpenAI allows it to verified
            organizations only.
        takes_format: Whether the server enforces JSON and schemas.
        takes_cache_key: Whether the server keeps the beginnings of requests by a key.
    """

    takes_include: bool = True
    takes_summary: bool = True
    takes_format: bool = True
    takes_cache_key: bool = True

    def after(self, error: openai.APIStatusError) -> "Dialect | None":
        """The dialect to try once more with; None if Arc has nothing to change.

        Args:
            error: A refusal of the request.
        """
        for parameter in refused_parameters(error):
            changed = self._without(parameter)
            if changed != self:
                return changed
        return None

    def _without(self, parameter: str) -> "Dialect":
        name = ".".join(parameter.partition("[")[0].split(".")[:2])
        field = _FIELDS.get(name)
        return replace(self, **{field: False}) if field is not None else self
