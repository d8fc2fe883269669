"""Rules of every `Compactor` that the engine relies on."""

import json
from abc import abstractmethod
from collections.abc import Sequence
from itertools import accumulate

import pytest

from arc_core.interfaces.conversations.compactor import (
    ClearableResult,
    Compaction,
    CompactionView,
    Compactor,
    Exchange,
)
from arc_core.messages import AssistantMessage, ToolCall, ToolResult, ToolResultMessage, UserMessage
from arc_core.testing.conformance.components import (
    AsyncSuite,
    call_together,
    check_cancellation_leaves,
    check_interface,
    running,
)
from arc_core.testing.conformance.hostile_texts import HOSTILE_TEXTS

_LINE_TOKENS = 20
_CALL_TOKENS = 30
_AT_ONCE = 50


async def _say(system_prompt: str, text: str) -> str:
    """A model that has little to say."""
    return "Some orders were looked up."


def make_view(
    results: Sequence[int], *, budget: int, turns: Sequence[str] = (), text: str = "order 1"
) -> CompactionView:
    """A view of one call for each result, behind turns of history; a token is a character."""
    history = [Exchange(messages=(UserMessage(each),), tokens=len(each)) for each in turns]
    exchanges = (*history, *(_make_exchange(*each, text=text) for each in enumerate(results)))
    tokens = sum(each.tokens for each in exchanges)
    return CompactionView(
        exchanges=exchanges,
        tokens=tokens,
        budget=budget,
        to_free=max(1, tokens - budget // 2),
        text_tokens=budget // 8,
        count_tokens=len,
        ask=_say,
    )


def _make_exchange(number: int, tokens: int, *, text: str) -> Exchange:
    key, arguments = f"tool/{number}", json.dumps({"text": text})
    call = ToolCall(f"call-{number}", "look", arguments)
    result = ToolResult(call.id, call.name, "x" * tokens)
    gain = tokens - _LINE_TOKENS
    return Exchange(
        messages=(AssistantMessage("", (call,)), ToolResultMessage((result,))),
        tokens=tokens + _CALL_TOKENS,
        keys=(key,),
        results=(ClearableResult(key=key, gain=gain),) if gain > 0 else (),
    )


def count_after(view: CompactionView, chosen: Compaction) -> int:
    """The tokens that a decision leaves."""
    gone = sum(each.tokens for each in view.exchanges[: chosen.dropped])
    gained = sum(
        result.gain
        for each in view.exchanges[chosen.dropped :]
        for result in each.results
        if result.key in chosen.cleared
    )
    return view.tokens - gone - gained + len(chosen.text if chosen.dropped else "")


_VIEWS = {
    "one long result": make_view([5000, 10, 10], budget=2000),
    "many results": make_view([200] * 100, budget=10_000),
    "nothing to clear": make_view([5] * 100, budget=2000),
    "history alone": make_view([], budget=2000, turns=["What about this order?" * 5] * 30),
    "history and results": make_view([300] * 20, budget=3000, turns=["And that one?"] * 100),
    "much too much": make_view([100_000] * 30, budget=1000),
    **{f"a call with {name}": make_view([90] * 50, budget=4000, text=text)
       for name, text in HOSTILE_TEXTS.items()},
}  # fmt: skip


class CompactorConformance(AsyncSuite):
    """Inherit from it and say how your compactor is made."""

    @abstractmethod
    def make_compactor(self) -> Compactor:
        """A new compactor, not started."""

    async def test_it_is_a_compactor(self) -> None:
        """It can be asked."""
        check_interface(self.make_compactor(), Compactor)

    @pytest.mark.parametrize("name", _VIEWS)
    async def test_what_it_leaves_fits(self, name: str) -> None:
        """The budget is kept, whatever there is too much of."""
        view = _VIEWS[name]

        async with running(self.make_compactor()) as compactor:
            chosen = await compactor.compact(view)

        assert isinstance(chosen, Compaction)
        assert count_after(view, chosen) <= view.budget

    @pytest.mark.parametrize("name", _VIEWS)
    async def test_it_names_what_it_was_shown(self, name: str) -> None:
        """Results that can be cleared, each once, and no more exchanges than there are."""
        view = _VIEWS[name]

        async with running(self.make_compactor()) as compactor:
            chosen = await compactor.compact(view)

        known = {result.key for each in view.exchanges for result in each.results}
        assert set(chosen.cleared) <= known
        assert len(set(chosen.cleared)) == len(chosen.cleared)
        assert 0 <= chosen.dropped <= len(view.exchanges)
        assert chosen.cleared or chosen.dropped

    async def test_it_decides_alike_for_many_at_once(self) -> None:
        """One compactor serves all runs."""
        view = _VIEWS["history and results"]

        async with running(self.make_compactor()) as compactor:
            chosen = await call_together(compactor.compact(view) for _ in range(_AT_ONCE))

        assert all(each == chosen[0] for each in chosen)

    async def test_more_is_left_out_of_a_smaller_budget(self) -> None:
        """It looks at the budget, and not only at what there is."""
        async with running(self.make_compactor()) as compactor:
            views = [make_view([200] * 100, budget=budget) for budget in (8000, 4000, 2000)]
            left = [count_after(view, await compactor.compact(view)) for view in views]

        assert list(accumulate(left, min)) == left

    async def test_cancellation_leaves(self) -> None:
        """A run that is cancelled meanwhile is not held."""
        async with running(self.make_compactor()) as compactor:
            await check_cancellation_leaves(compactor.compact(_VIEWS["many results"]))
