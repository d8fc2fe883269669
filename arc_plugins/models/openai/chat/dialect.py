"""What a server takes, of the parameters that not every server and model does."""

from dataclasses import dataclass, replace

import openai

from arc_plugins.models.openai.refused_parameters import refused_parameters

__all__ = ["Dialect", "dialect_of_host"]


@dataclass(frozen=True, slots=True)
class Dialect:
    """Begins with what is usual and learns from the parameters that a server rejects.

    Attributes:
        max_tokens_names: What the bound of the answer may be called; the first is sent.
        takes_stream_options: Whether token counts can be asked for in a stream.
        takes_response_format: Whether the server enforces JSON and schemas.
        needs_no_reasoning: Whether tools are taken only together with `reasoning_effort` `none`,
            as by OpenAI's newer models; a request that says how much to think is sent as it is.
        takes_cache_key: Whether requests may say which of them begin alike.
    """

    max_tokens_names: tuple[str, ...] = ("max_completion_tokens", "max_tokens")
    takes_stream_options: bool = True
    takes_response_format: bool = True
    needs_no_reasoning: bool = False
    takes_cache_key: bool = True

    def after(self, error: openai.APIStatusError) -> "Dialect | None":
        """The dialect to try once more with; None if Arc has nothing to change.

        Args:
            error: A refusal of the request; parameters are found where its body names them, never
                in its text.
        """
        for parameter in refused_parameters(error):
            changed = self._without(parameter.partition(".")[0])
            if changed != self:
                return changed
        return None

    def _without(self, parameter: str) -> "Dialect":
        changed = self
        if parameter in self.max_tokens_names[:1]:
            changed = replace(self, max_tokens_names=self.max_tokens_names[1:])
        match parameter:
            case "stream_options":
                changed = replace(self, takes_stream_options=False)
            case "response_format":
                changed = replace(self, takes_response_format=False)
            case "prompt_cache_key":
                changed = replace(self, takes_cache_key=False)
            case "reasoning_effort":
                changed = replace(self, needs_no_reasoning=True)
        return changed


def dialect_of_host(host: str) -> Dialect:
    """OpenAI's own, or what its imitators understand best."""
    if host == "openai.com" or host.endswith(".openai.com"):
        return Dialect()
    names = ("max_tokens", "max_completion_tokens")
    return Dialect(max_tokens_names=names, takes_cache_key=False)
