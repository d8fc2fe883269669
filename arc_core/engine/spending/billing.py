"""All that a call of a model has to do with money."""

from collections.abc import Sequence

from arc_core.agents.agent import Agent
from arc_core.engine.agents.agent_profiles import AgentProfiles
from arc_core.engine.agents.cost_limits import (
    check_prices,
    check_prices_of_agents,
    check_prices_of_budgets,
)
from arc_core.engine.boundary.boundary import Boundary
from arc_core.engine.models.model_fit import ModelFit
from arc_core.engine.models.models import Models, RunModel
from arc_core.engine.models.prices import Prices
from arc_core.engine.models.token_costs import TokenCosts
from arc_core.engine.run_state import ActiveRun
from arc_core.engine.spending.budget_calls import BudgetCalls
from arc_core.engine.spending.run_account import RunAccount
from arc_core.engine.spending.spending import Spending
from arc_core.errors import ConfigurationError
from arc_core.interfaces.budgets import Budgets
from arc_core.interfaces.models.chat_model import ChatRequest
from arc_core.log import get_logger
from arc_core.settings import BudgetSettings
from arc_core.text.near_names import nearest

__all__ = ["Billing", "SoftLimit", "check_soft_model"]

logger = get_logger("budgets")


class SoftLimit:
    """Chooses the model of a call, once so much of a budget is spent."""

    def __init__(self, models: Models, *, fit: ModelFit, settings: BudgetSettings) -> None:
        self._models = models
        self._fit = fit
        self._ratio, self._name = settings.soft_ratio, settings.soft_model

    def choose(
        self, account: RunAccount, run: ActiveRun, model: RunModel, *, request: ChatRequest
    ) -> RunModel:
        """The model that a run asks: its own one, or past the limit the cheaper one.

        Args:
            account: Of the run.
            run: That asks; its metadata is told, and that of the run that a program has started.
            model: Its own model.
            request: Made for that.
        """
        if account.used_ratio < self._ratio:
            return model
        chosen = self._find_cheaper(account, model, request)
        facts: dict[str, object] = {
            "limit": account.limit,
            "used_ratio": round(account.used_ratio, 4),
        }
        if chosen is not model:
            facts["model"] = chosen.known_as
            _forbid_to_repeat(run)
        run.metadata["budget"] = run.root.metadata["budget"] = facts
        return chosen

    def _find_cheaper(self, account: RunAccount, model: RunModel, request: ChatRequest) -> RunModel:
        if self._name is None or self._name == model.known_as:
            return model
        cheaper = self._models.find(self._name)
        flaw = self._fit.find_problem(request, cheaper, made_for=model)
        if flaw is None:
            return cheaper
        if not account.has_warned:
            account.has_warned = True
            logger.warning(
                "past the soft limit of the budget the own model goes on, since the cheaper one "
                "cannot take the request",
                model=cheaper.known_as,
                reason=flaw,
            )
        return model


def check_soft_model(name: str | None, *, known: tuple[str, ...]) -> None:
    """Check that the cheaper model exists.

    Raises:
        ConfigurationError: It does not.
    """
    if name is None or name in known:
        return
    meant = nearest(name, known)
    listed = f"give it an entry: [llm.models.{name}]"
    raise ConfigurationError(
        f"budget.soft_model names the model {name!r}, which is not in llm.models",
        evidence=[f"known models: {', '.join(known)}"],
        remedy=f"write {meant!r}, or {listed}" if meant else listed,
    )


def _forbid_to_repeat(run: ActiveRun) -> None:
    """Another run may be answered by the model itself, so that no answer is kept for it."""
    current: ActiveRun | None = run
    while current is not None:
        current.repeatable = False
        current = current.caller


class Billing:
    """Prices, budgets and the soft limit, as the calls of all runs use them.

    Attributes:
        prices: Say what a call costs.
        spending: Reserves, holds and settles.
        soft_limit: Chooses the cheaper model.
    """

    def __init__(
        self,
        budgets: Budgets,
        *,
        models: Models,
        fit: ModelFit,
        prices: Prices,
        costs: TokenCosts,
        boundary: Boundary,
        settings: BudgetSettings,
    ) -> None:
        calls = BudgetCalls(budgets, boundary=boundary)
        self.prices = prices
        self.spending = Spending(calls, prices=prices, costs=costs, settings=settings)
        self.soft_limit = SoftLimit(models, fit=fit, settings=settings)
        self._soft_model = settings.soft_model

    def check(self, agents: Sequence[Agent], *, profiles: AgentProfiles, models: Models) -> None:
        """Check that the bounds of costs can be kept.

        Raises:
            ConfigurationError: They cannot, or the cheaper model does not exist.
        """
        check_soft_model(self._soft_model, known=models.names)
        prices = self.prices
        check_prices_of_agents(agents, profiles=profiles, models=models, prices=prices)
        if self.spending.bounds_costs:
            check_prices_of_budgets(
                profiles, models=models, prices=prices, soft_model=self._soft_model
            )

    def check_run(self, run: ActiveRun, models: Models) -> None:
        """See that the costs of a run can be bounded, if they are.

        Raises:
            RunStoppedError: A model has no price.
        """
        has_budget = self.spending.bounds_costs
        if has_budget or run.command.limits is not None or run.caller is not None:
            check_prices(run, models, prices=self.prices, has_budget=has_budget)
