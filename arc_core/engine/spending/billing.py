"""The billing of model calls: the prices that bounds need, budgets, and the soft limit."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from arc_core.agents.agent import Agent
from arc_core.command import AgentCommand
from arc_core.engine.agents.agent_profiles import AgentProfiles, find_others
from arc_core.engine.boundary.boundary import Boundary
from arc_core.engine.models.models import ModelFit, Models, Prices, RunModel
from arc_core.engine.models.token_costs import TokenCosts
from arc_core.engine.run_limits import has_max_cost
from arc_core.engine.run_state import ActiveRun, RunStoppedError
from arc_core.engine.spending.run_account import RunAccount
from arc_core.engine.spending.spending import Spending
from arc_core.errors import AgentErrorCode, ConfigurationError
from arc_core.interfaces.budgets import Budgets
from arc_core.interfaces.models.chat_model import ChatRequest
from arc_core.log import get_logger
from arc_core.settings import DEFAULT_MODEL, BudgetSettings
from arc_core.text.names import nearest

logger = get_logger("budgets")

_MAX_SHOWN_CHARS = 100


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

        Past the limit, its metadata and that of the run that a program has started say so.
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
    for each in run.list_lineage():
        each.repeatable = False


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
        self.prices, self._models = prices, models
        self.spending = Spending(
            budgets, prices=prices, costs=costs, boundary=boundary, settings=settings
        )
        self.soft_limit = SoftLimit(models, fit=fit, settings=settings)
        self._soft_model = settings.soft_model

    def check(self, agents: Sequence[Agent], *, profiles: AgentProfiles) -> None:
        """Check that the bounds of costs can be kept.

        Raises:
            ConfigurationError: They cannot, since a model has no price, or the cheaper model does
                not exist.
        """
        check_soft_model(self._soft_model, known=self._models.names)
        by_name = {agent.name: agent for agent in agents}
        for name in profiles.names:
            limits, agent = _command_for(name, profiles).limits, by_name.get(name)
            if limits is None or limits.max_cost is None:
                continue
            is_own = agent is not None and agent.limits.max_cost is not None
            bound = f"max_cost of the agent {name!r}" if is_own else "limits.max_cost"
            self._check_agents(_find_reached(name, by_name), profiles, bound=bound)
        if self.spending.bounds_costs:
            bound = "the budget of costs (budget.…_cost_…)"
            self._check_agents(profiles.names, profiles, bound=bound)
            self._check_soft_model(bound)

    def check_run(self, run: ActiveRun) -> None:
        """See that all models have prices that a run may ask, if its costs are bounded.

        Raises:
            RunStoppedError: One has none; the message names it.
        """
        may_have_limits = run.command.limits is not None or run.caller is not None
        if may_have_limits and has_max_cost(run):
            bound = "limit max_cost"
        elif self.spending.bounds_costs:
            bound = "budget of costs"
        else:
            return
        unpriced = self._find_unpriced(run.command)
        if unpriced is not None:
            model = repr(unpriced[:_MAX_SHOWN_CHARS])
            raise RunStoppedError(
                AgentErrorCode.INVALID_INPUT,
                f"The {bound} cannot be kept: the model {model} has no price.",
            )

    def _check_agents(self, names: Iterable[str], profiles: AgentProfiles, *, bound: str) -> None:
        for name in names:
            unpriced = self._find_unpriced(_command_for(name, profiles))
            if unpriced is not None:
                raise self._without_price(unpriced, bound, f"the agent {name!r} may ask it")

    def _check_soft_model(self, bound: str) -> None:
        if self._soft_model is None:
            return
        model = self._models.find(self._soft_model)
        for each in (model, *model.fallbacks):
            if not self.prices.knows(each, each.llm.model):
                raise self._without_price(each.known_as, bound, "budget.soft_model may ask it")

    def _find_unpriced(self, command: AgentCommand) -> str | None:
        """The first model without a price, of that of a command and its fallbacks.

        Returns:
            Its name in the settings, or the vendor's name that the command has.
        """
        model, knows = self._models.of(command), self.prices.knows
        asked = model.vendor_model(command)
        if not knows(model, asked):
            return model.known_as if asked == model.llm.model else command.model
        unpriced = (each for each in model.fallbacks if not knows(each, each.llm.model))
        return next((each.known_as for each in unpriced), None)

    def _without_price(self, model: str, bound: str, asked_by: str) -> ConfigurationError:
        key = "llm" if model == DEFAULT_MODEL else f"llm.models.{model}"
        remedy = f"set {key}.price; 0 is for what costs nothing"
        if model not in self._models.names:
            remedy = f'give it an entry with a price: [llm.models."{model}"] with model = "{model}"'
        return ConfigurationError(
            f"{bound} cannot be kept, since the model {model!r} has no price",
            evidence=[f"{asked_by}, by itself or as a fallback"],
            remedy=f'{remedy}; the extra "arc-agents[prices]" knows the prices of many models',
        )


def _command_for(agent: str, profiles: AgentProfiles) -> AgentCommand:
    """An empty question, with all that the agent fills in."""
    return profiles.accept(AgentCommand(user_prompt="", agent=agent))


def _find_reached(name: str, agents: Mapping[str, Agent[Any]]) -> Iterator[str]:
    """An agent, and those that can come to run within its limits."""
    reached = [name]
    for each in reached:  # grows meanwhile
        yield each
        agent = agents.get(each)
        others = () if agent is None else find_others(agent)
        reached += [other for other in others if other not in reached]
