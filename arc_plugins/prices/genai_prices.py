"""Prices of many vendors' models, from the list that the package `genai-prices` brings along.

The list is as old as the installed version of the package, and nothing is downloaded: upgrade the
package for newer prices, or set `price`, which goes before it. It has the vendors' public prices in
US dollars, those of long requests and of their caches included, and knows nothing of discounts, nor
of an address under which another vendor serves models of the same names. A model that the list does
not have is looked for every ten minutes, since comparing its name with all the others takes 0.1 ms.
Costs some 0.1 s and 5 MB at the first question. Needs the extra `prices`.
"""

from decimal import Decimal
from functools import cached_property
from importlib import import_module
from math import inf
from time import monotonic
from typing import Any

from arc_core import ModelPrices, TokenUsage

_PROVIDERS = {
    "aws.bedrock": "aws",
    "azure.ai.inference": "azure",
    "azure.ai.openai": "azure",
    "gcp.gemini": "google",
    "gcp.gen_ai": "google",
    "gcp.vertex_ai": "google",
    "openai_responses": "openai",
}
"""Vendors as OpenTelemetry's conventions and Arc call them, where the list calls them otherwise."""

_NOT_FOUND_FOR_S = 600.0
"""Seconds until a model is looked for again: a program may bring the list up to date meanwhile."""
_MOST_NOT_FOUND = 1_000


class GenaiModelPrices(ModelPrices):
    """Looks prices up in the list of the package; it is loaded when it is asked for the first."""

    def __init__(self) -> None:
        self._not_found: dict[tuple[str, str | None], float] = {}  # and when, in monotonic seconds

    def cost_of(self, usage: TokenUsage, *, model: str, provider: str | None) -> Decimal | None:
        """Return the cost of a call; None for a model or a vendor that the list does not have.

        Without a vendor the list is searched for one that has the model.
        """
        asked, now = (model, provider), monotonic()
        if now - self._not_found.get(asked, -inf) < _NOT_FOUND_FOR_S:
            return None
        library = self._library
        try:
            price = library.calc_price(
                library.Usage(**_get_counts(usage)),
                model,
                provider_id=None if provider is None else _PROVIDERS.get(provider, provider),
            )
        except LookupError:
            if len(self._not_found) >= _MOST_NOT_FOUND:
                self._not_found.clear()
            self._not_found[asked] = now
            return None
        if price.model_price.input_mtok is None and price.model_price.output_mtok is None:
            return None  # it is billed by something else than tokens
        total: Decimal = price.total_price
        return total

    @cached_property
    def _library(self) -> Any:
        """Its model of the data takes longer to import than the rest of a start."""
        return import_module("genai_prices")


def _get_counts(usage: TokenUsage) -> dict[str, int]:
    """Under the names of the list, which refuses more from a cache than there is in all."""
    cached = min(usage.cached_tokens, usage.prompt_tokens)
    return {
        "input_tokens": usage.prompt_tokens,
        "output_tokens": usage.completion_tokens,
        "cache_read_tokens": cached,
        "cache_write_tokens": min(usage.cache_write_tokens, usage.prompt_tokens - cached),
    }
