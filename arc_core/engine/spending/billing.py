"""All that a call of a model has to do with money."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from arc_core.agents.agent import Agent
from arc_core.engine.agents.agent_profiles import AgentProfiles
from arc_core.engine.agents.cost_limits import (
    check_prices,
    check_prices_of_agents,
    check_prices_of_budgets,
)
from arc_core.engine.boundary.boundary import Boundary
from arc_core.engine.models.model_fit import ModelFit
from arc_core.engine.models.models import Models
from arc_core.engine.models.prices import Prices
from arc_core.engine.models.token_costs import TokenCosts
from arc_core.engine.run_state import ActiveRun
from arc_core.engine.spending.budget_calls import BudgetCalls
from arc_core.engine.spending.soft_limit import SoftLimit, check_soft_model
from arc_core.engine.spending.spending import Spending
from arc_core.interfaces.budgets import Budgets
from arc_core.settings import BudgetSettings

__all__ = ["Billing"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Billing:
    """What pays for the calls of all runs.

    Attributes:
        prices: Say what a call costs.
        spending: Reserves, holds and settles.
        soft_limit: Chooses the cheaper model.
        soft_model: Its name, if one is to be asked.
    """

    prices: Prices
    spending: Spending
    soft_limit: SoftLimit
    soft_model: str | None

    @classmethod
    def of(
        cls,
        budgets: Budgets,
        *,
        models: Models,
        fit: ModelFit,
        prices: Prices,
        costs: TokenCosts,
        boundary: Boundary,
        settings: BudgetSettings,
    ) -> Self:
        """The billing of an engine."""
        calls = BudgetCalls(budgets, boundary=boundary)
        return cls(
            prices=prices,
            spending=Spending(calls, prices=prices, costs=costs, settings=settings),
            soft_limit=SoftLimit(models, fit=fit, settings=settings),
            soft_model=settings.soft_model,
        )

    def check(self, agents: Sequence[Agent], *, profiles: AgentProfiles, models: Models) -> None:
        """Check that the bounds of costs can be kept.

        Args:
            agents: With those that they ask and hand over to.
            profiles: Say which model and which limits each has.
            models: Those of the engine.

        Raises:
            ConfigurationError: They cannot, or the cheaper model does not exist.
        """
        check_soft_model(self.soft_model, known=models.names)
        prices = self.prices
        check_prices_of_agents(agents, profiles=profiles, models=models, prices=prices)
        if self.spending.bounds_costs:
            check_prices_of_budgets(
                profiles, models=models, prices=prices, soft_model=self.soft_model
            )

    def check_run(self, run: ActiveRun, models: Models) -> None:
        """See that the costs of a run can be bounded, if they are.

        Raises:
            RunStoppedError: A model has no price.
        """
        has_budget = self.spending.bounds_costs
        if has_budget or run.command.limits is not None or run.caller is not None:
            check_prices(run, models, prices=self.prices, has_budget=has_budget)
