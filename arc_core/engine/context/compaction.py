"""Makes room in the conversation of a run, once its next request would not fit into the window.

Each time is a step of the run: a run that goes on elsewhere leaves out what it has left out before,
and asks no compactor again.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from arc_core.defaults.clearing import clear_oldest
from arc_core.engine.boundary import policies
from arc_core.engine.boundary.boundary import Boundary, Failed, SafeMetrics
from arc_core.engine.context.window import ConversationWindow, View
from arc_core.engine.guards.input_guards import ToolResultGuards
from arc_core.engine.journal.records import CompactionStep
from arc_core.engine.journal.step_forms import COMPACTED, PackedForm
from arc_core.engine.models.token_costs import TokenCosts
from arc_core.engine.run_limits import add_spent, is_at_limit
from arc_core.engine.run_state import ActiveRun, RunStoppedError
from arc_core.errors import AgentErrorCode, ConfigurationError
from arc_core.events import ContextCompacted
from arc_core.interfaces.agent_metrics import CompactionRecord
from arc_core.interfaces.conversations.compactor import Compaction, CompactionView, Compactor
from arc_core.interfaces.models.chat_model import ChatRequest, ChatResponse
from arc_core.log import get_logger
from arc_core.messages import ToolResult, UserMessage
from arc_core.settings import AgentSettings
from arc_core.text.excerpts import READ_RESULT, make_placeholder
from arc_core.usage import TokenUsage

logger = get_logger("history")

_TEXT_SHARE = 8  # of the budget, for what stands in the place of exchanges

AskModel = Callable[[ActiveRun, str | None, ChatRequest], Awaitable[ChatResponse]]
"""Asks a model of a name beside the turns of a run, which pays."""


def check_summary_model(name: str | None, *, known: Sequence[str]) -> None:
    """See that there is the model for summaries, or raise a `ConfigurationError`."""
    if name is not None and name not in known:
        raise ConfigurationError(
            f"context.summary_model names the model {name!r}, which is not in llm.models",
            evidence=[f"there are: {', '.join(known)}"],
            remedy="name one of them, or remove the setting",
        )


@dataclass(slots=True)
class _Asking:
    """The questions that a compactor asks a model.

    Attributes:
        usage: Of all of them together; None if no vendor has counted.
    """

    run: ActiveRun
    ask_model: AskModel
    model: str | None
    has_asked: bool = False
    usage: TokenUsage | None = None

    async def ask(self, system_prompt: str, text: str) -> str:
        """Return the answer of the model of `context.summary_model`, if the run may spend more."""
        if is_at_limit(self.run):
            raise RunStoppedError(AgentErrorCode.LIMIT_REACHED)
        self.has_asked = True
        request = ChatRequest(
            system_prompt=system_prompt, messages=(UserMessage(text),), tool_choice="none"
        )
        response = await self.ask_model(self.run, self.model, request)
        if response.usage is not None:
            self.usage = response.usage if self.usage is None else self.usage + response.usage
        return response.message.text


class ContextCompaction:
    """Asks the compactor, sees that what it says can be done, and does it."""

    def __init__(
        self,
        compactor: Compactor,
        *,
        guards: ToolResultGuards,
        costs: TokenCosts,
        metrics: SafeMetrics,
        ask_model: AskModel,
        boundary: Boundary,
        settings: AgentSettings,
    ) -> None:
        self._compactor, self._guards = compactor, guards
        self._costs, self._metrics, self._ask_model = costs, metrics, ask_model
        self._boundary, self._settings = boundary, settings

    async def fit(self, run: ActiveRun, window: ConversationWindow, budget: int) -> View:
        """Return the messages of the next request; leaves out of the window what does not fit."""
        if run.recorder.is_replaying:
            await self._replay(run, window, budget)
        view = window.view(budget)
        if not view.is_cut:
            return view
        if window.begins_exactly:
            window.begin_with(view)
            return view
        if not window.can_be_cut(partial(self._get_line, run)):
            return view
        await self._take_step(run, window, budget)
        return window.view(budget)

    async def _replay(self, run: ActiveRun, window: ConversationWindow, budget: int) -> None:
        """Do what an earlier life has done before this turn."""
        while True:
            step = await run.recorder.find(f"compact/{run.compactions + 1}", COMPACTED)
            if not isinstance(step, CompactionStep) or step.turn != run.answers_asked + 1:
                return
            await self._take_step(run, window, budget)

    async def _take_step(self, run: ActiveRun, window: ConversationWindow, budget: int) -> None:
        run.compactions += 1
        step = await run.recorder.step(
            f"compact/{run.compactions}",
            partial(self._compact, run, window, budget),
            PackedForm(COMPACTED, restore=partial(_restore, run)),
        )
        for key, result in window.find_results(step.cleared, of_oldest=step.dropped):
            if not _is_reading(run, result):
                await run.keep_result(key, result.text, settings=self._settings)
        window.leave_out(step.dropped, text=step.text)
        window.clear(step.cleared, partial(self._get_line, run))

    async def _compact(
        self, run: ActiveRun, window: ConversationWindow, budget: int
    ) -> CompactionStep:
        """Decide, and tell who reads the run."""
        line_for = partial(self._get_line, run)
        asking = _Asking(run, self._ask_model, self._settings.context.summary_model)
        estimated = run.estimated_tokens
        cost_before = run.cost
        view = self._make_view(window, asking, budget=budget)
        decision = await self._decide(run, view)
        after = self._count_after(view, decision)
        cleared = list(decision.cleared)
        last = sorted(window.list_last_results(line_for), key=lambda each: -each.gain)
        for result in last:
            if after <= budget:
                break
            cleared.append(result.key)
            after -= result.gain
        step = CompactionStep(
            turn=run.answers_asked + 1,
            cleared=tuple(cleared),
            dropped=decision.dropped,
            text=decision.text if decision.dropped else "",
            tokens_before=view.tokens,
            tokens_after=after,
        )
        if asking.has_asked:
            step = replace(
                step,
                usage=asking.usage,
                cost=run.cost_since(cost_before),
                is_cost_known=run.is_cost_known,
                estimated_tokens=run.estimated_tokens - estimated,
            )
        await self._tell(run, step)
        return step

    async def _tell(self, run: ActiveRun, step: CompactionStep) -> None:
        event = ContextCompacted(
            cleared=len(step.cleared),
            dropped=step.dropped,
            tokens_before=step.tokens_before,
            tokens_after=step.tokens_after,
        )
        logger.debug("room was made in the window", cleared=event.cleared, dropped=event.dropped)
        self._metrics.record_compaction(
            CompactionRecord(
                cleared=event.cleared,
                dropped=event.dropped,
                tokens_before=event.tokens_before,
                tokens_after=event.tokens_after,
                agent=run.agent,
            )
        )
        await run.emit(event)

    def _make_view(
        self, window: ConversationWindow, asking: _Asking, *, budget: int
    ) -> CompactionView:
        exchanges = window.list_exchanges(partial(self._get_line, asking.run))
        tokens = window.count_tokens()
        text_tokens = max(0, budget) // _TEXT_SHARE
        return CompactionView(
            exchanges=exchanges,
            tokens=tokens,
            budget=budget,
            to_free=_count_to_free(
                tokens + text_tokens - budget,
                step=max(1, budget // 2),
                most=sum(each.tokens for each in exchanges),
            ),
            text_tokens=text_tokens,
            count_tokens=self._costs.of_text,
            ask=asking.ask,
            left_out=tuple(window.left_out),
            text=window.text,
        )

    async def _decide(self, run: ActiveRun, view: CompactionView) -> Compaction:
        """Return what the compactor says, or what stands in for it."""
        decision = await self._boundary.call(
            policies.COMPACTION, self._compactor, partial(self._ask_compactor, view)
        )
        if isinstance(decision, Failed):
            return clear_oldest(view)
        if not (decision.dropped and decision.text and self._guards):
            return decision
        checked = await self._guards.check_text(run.hook_context, decision.text, name="compactor")
        if checked is None:
            logger.warning("a guard withholds what a compactor says; old results are cleared")
            return clear_oldest(view)
        return replace(decision, text=checked)

    async def _ask_compactor(self, view: CompactionView) -> Compaction:
        """Return what the compactor says; a `ValueError` if it cannot be done, or does not help."""
        decision = await self._compactor.compact(view)
        if isinstance(decision, Compaction):
            _check(view, decision)
            least = clear_oldest(view)
            if self._count_after(view, decision) > max(view.budget, self._count_after(view, least)):
                raise ValueError("what it leaves does not fit")
        return decision

    def _count_after(self, view: CompactionView, decision: Compaction) -> int:
        """Return the tokens that are left."""
        cleared = set(decision.cleared)
        gone = sum(each.tokens for each in view.exchanges[: decision.dropped])
        gained = sum(
            result.gain
            for each in view.exchanges[decision.dropped :]
            for result in each.results
            if result.key in cleared
        )
        after = view.tokens - gone - gained
        if not decision.dropped:
            return after
        return after - self._count_text(view.text) + self._count_text(decision.text)

    def _count_text(self, text: str) -> int:
        return self._costs.of_text(text) if text else 0

    def _get_line(self, run: ActiveRun, key: str, result: ToolResult) -> str:
        """Return the line that stands for a result once it is cleared."""
        if _is_reading(run, result):
            return f"[{key}: left out to make room; call {READ_RESULT} again]"
        if run.kept is not None and key in run.kept:
            return run.kept.get_line(key)
        return make_placeholder(result.text, key=key)


def _is_reading(run: ActiveRun, result: ToolResult) -> bool:
    """Return True if a result is what the run has read of another one."""
    return bool(run.own_tools) and result.name == READ_RESULT


def _count_to_free(excess: int, *, step: int, most: int) -> int:
    """Return the excess, rounded up to a multiple of a step.

    The step is halved as long as nothing would be left. So a session that grows from run to run is
    cut at the same turn for many runs.
    """
    while step > 1 and -(-excess // step) * step >= most:
        step //= 2
    return -(-excess // step) * step


def _check(view: CompactionView, decision: Compaction) -> None:
    """See that a decision can be carried out, or raise a `ValueError` or a `TypeError`."""
    known = {result.key for each in view.exchanges for result in each.results}
    if type(decision.dropped) is not int or not 0 <= decision.dropped <= len(view.exchanges):
        raise ValueError(f"it leaves out {decision.dropped} of {len(view.exchanges)} exchanges")
    if unknown := [key for key in decision.cleared if key not in known]:
        raise ValueError(f"it clears {unknown[0]!r}, which is not a result that can be cleared")
    if not isinstance(decision.text, str):
        raise TypeError(f"its text is a {type(decision.text).__name__}")
    if not decision.cleared and not decision.dropped:
        raise ValueError("it makes no room")


async def _restore(run: ActiveRun, step: CompactionStep) -> CompactionStep:
    """Count what an earlier life has spent."""
    add_spent(run, step)
    return step
