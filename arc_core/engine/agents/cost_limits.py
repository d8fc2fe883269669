"""A bound of costs needs prices: without one, a run cannot tell when it is reached."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from arc_core.agents.agent import Agent
from arc_core.command import AgentCommand
from arc_core.engine.agents.agent_profiles import AgentProfiles, find_others
from arc_core.engine.models.models import Models, RunModel
from arc_core.engine.models.prices import Prices
from arc_core.engine.run_limits import has_max_cost
from arc_core.engine.run_state import ActiveRun, RunStoppedError
from arc_core.errors import AgentErrorCode, ConfigurationError
from arc_core.settings import DEFAULT_MODEL

__all__ = ["check_prices", "check_prices_of_agents", "check_prices_of_budgets"]

_MAX_SHOWN_CHARS = 100


def check_prices(run: ActiveRun, models: Models, *, prices: Prices, has_budget: bool) -> None:
    """See that all models have prices that a run may ask, if its costs are bounded.

    Args:
        run: With its limits.
        models: Those of the engine.
        prices: Those that are known.
        has_budget: Whether a budget bounds its costs.

    Raises:
        RunStoppedError: One has none; the message names it.
    """
    if has_max_cost(run):
        bound = "limit max_cost"
    elif has_budget:
        bound = "budget of costs"
    else:
        return
    unpriced = _find_unpriced(models.of(run.command), run.command, prices)
    if unpriced is not None:
        raise RunStoppedError(
            AgentErrorCode.INVALID_INPUT,
            f"The {bound} cannot be kept: the model {unpriced[:_MAX_SHOWN_CHARS]!r} has no price.",
        )


def check_prices_of_agents(
    agents: Sequence[Agent], *, profiles: AgentProfiles, models: Models, prices: Prices
) -> None:
    """Check that all models have prices that agents with a bound of costs may ask.

    Raises:
        ConfigurationError: A model has none.
    """
    by_name = {agent.name: agent for agent in agents}
    for name in profiles.names:
        limits, agent = _command_for(name, profiles).limits, by_name.get(name)
        if limits is None or limits.max_cost is None:
            continue
        is_own = agent is not None and agent.limits.max_cost is not None
        bound = f"max_cost of the agent {name!r}" if is_own else "limits.max_cost"
        for reached in _find_reached(name, by_name):
            command = _command_for(reached, profiles)
            unpriced = _find_unpriced(models.of(command), command, prices)
            if unpriced is not None:
                raise _without_price(unpriced, bound=bound, asking=reached, known=models.names)


def check_prices_of_budgets(
    profiles: AgentProfiles, *, models: Models, prices: Prices, soft_model: str | None
) -> None:
    """Check that all models have prices, since a budget bounds the costs of all runs.

    Raises:
        ConfigurationError: A model has none.
    """
    bound = "the budget of costs (budget.…_cost_…)"
    for name in profiles.names:
        command = _command_for(name, profiles)
        unpriced = _find_unpriced(models.of(command), command, prices)
        if unpriced is not None:
            raise _without_price(unpriced, bound=bound, asking=name, known=models.names)
    if soft_model is not None:
        model = models.find(soft_model)
        for each in (model, *model.fallbacks):
            if not prices.knows(each, each.llm.model):
                raise _without_price(each.known_as, bound=bound, asking=None, known=models.names)


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


def _find_unpriced(model: RunModel, command: AgentCommand, prices: Prices) -> str | None:
    """The first model without a price, of that of a command and its fallbacks.

    Returns:
        Its name in the settings, or the vendor's name that the command has.
    """
    asked = model.vendor_model(command)
    if not prices.knows(model, asked):
        return model.known_as if asked == model.llm.model else command.model
    unpriced = (each for each in model.fallbacks if not prices.knows(each, each.llm.model))
    return next((each.known_as for each in unpriced), None)


def _without_price(
    model: str, *, bound: str, asking: str | None, known: Sequence[str]
) -> ConfigurationError:
    key = "llm" if model == DEFAULT_MODEL else f"llm.models.{model}"
    remedy = f"set {key}.price; 0 is for what costs nothing"
    if model not in known:
        remedy = f'give it an entry with a price: [llm.models."{model}"] with model = "{model}"'
    by = "budget.soft_model may ask it" if asking is None else f"the agent {asking!r} may ask it"
    return ConfigurationError(
        f"{bound} cannot be kept, since the model {model!r} has no price",
        evidence=[f"{by}, by itself or as a fallback"],
        remedy=f'{remedy}; the extra "arc-agents[prices]" knows the prices of many models',
    )
