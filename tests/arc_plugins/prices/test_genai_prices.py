"""Prices from the list of the package."""

import subprocess
import sys
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arc_core import ModelPrices, TokenUsage
from arc_core.testing.conformance.models.model_prices import ModelPricesConformance
from arc_plugins.prices.genai_prices import GenaiModelPrices

PRICES = GenaiModelPrices()
USAGE = TokenUsage(prompt_tokens=1000, completion_tokens=100)


@pytest.mark.parametrize("provider", ["openai", "openai_responses", "azure.ai.openai", None])
def test_a_listed_model_has_its_price(provider: str | None) -> None:
    """1000 tokens at 2.5 and 100 at 10 dollars a million."""
    assert PRICES.cost_of(USAGE, model="gpt-4o", provider=provider) == Decimal("0.0035")


class TestConformance(ModelPricesConformance):
    """What the engine relies on."""

    known = ("claude-sonnet-4-5", "anthropic")

    def make_prices(self) -> ModelPrices:
        """As Arc makes them."""
        return GenaiModelPrices()


def test_a_model_that_is_not_listed_is_not_looked_for_at_each_call() -> None:
    """Servers of one's own have such models, and comparing a name with all takes long."""
    calls = list[str]()
    assert PRICES.cost_of(USAGE, model="own-1", provider="openai") is None

    sys.setprofile(lambda _frame, event, _: calls.append(event))
    try:
        price = PRICES.cost_of(USAGE, model="own-1", provider="openai")
    finally:
        sys.setprofile(None)

    assert price is None
    assert len(calls) < 20


def test_a_dated_name_is_that_of_its_model() -> None:
    """As vendors name their versions."""
    assert PRICES.cost_of(USAGE, model="gpt-4o-2024-08-06", provider="openai") == Decimal("0.0035")


def test_what_comes_from_the_cache_costs_less_and_what_goes_there_more() -> None:
    """As the vendor bills it: a tenth, and a quarter more."""

    def cost(**counts: int) -> Decimal | None:
        usage = TokenUsage(1_000_000, 0, **counts)
        return PRICES.cost_of(usage, model="claude-haiku-4-5", provider="anthropic")

    assert cost() == 1
    assert cost(cached_tokens=1_000_000) == Decimal("0.1")
    assert cost(cache_write_tokens=1_000_000) == Decimal("1.25")


def test_long_requests_cost_what_their_tier_costs() -> None:
    """Twice as much for the prompt past 200 000 tokens."""

    def cost(prompt: int) -> Decimal:
        usage = TokenUsage(prompt, 0)
        found = PRICES.cost_of(usage, model="gemini-2.5-pro", provider="gcp.gemini")
        assert found is not None
        return found / prompt

    assert cost(300_000) == 2 * cost(100_000)


@pytest.mark.parametrize(
    ("model", "provider"),
    [("unheard-of", "openai"), ("gpt-4o", "unheard-of"), ("unheard-of", None), ("", "openai")],
)
def test_what_is_not_listed_has_no_price(model: str, provider: str | None) -> None:
    """And nothing is raised."""
    assert PRICES.cost_of(USAGE, model=model, provider=provider) is None


@given(*[st.integers(0, 10**7)] * 4)
def test_whatever_a_vendor_counts_has_a_cost(
    prompt: int, completion: int, cached: int, written: int
) -> None:
    """Also more from its cache than there was in all."""
    usage = TokenUsage(prompt, completion, cached, written)

    cost = PRICES.cost_of(usage, model="claude-sonnet-4-5", provider="anthropic")

    assert cost is not None
    assert cost >= 0


@pytest.mark.slow
def test_the_list_is_loaded_by_the_first_question_and_nothing_is_downloaded() -> None:
    """A start does not wait for it; no socket is opened."""
    program = """
import socket, sys
from arc_core import TokenUsage
from arc_plugins.prices.genai_prices import GenaiModelPrices
prices = GenaiModelPrices()
assert "genai_prices" not in sys.modules
def forbidden(*args, **named): raise AssertionError
socket.socket = socket.getaddrinfo = forbidden
print(prices.cost_of(TokenUsage(1000, 100), model="gpt-4o", provider="openai"))
"""
    told = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60
    )

    assert told.stdout.strip() == "0.0035"
