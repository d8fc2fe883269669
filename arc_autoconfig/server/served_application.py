"""An application as its surfaces have it."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from arc_autoconfig.application import Application
from arc_autoconfig.explain.views import agents_view, components_view, config_view
from arc_autoconfig.runs.kept_runs import KeptRuns
from arc_autoconfig.runs.known_tools import KnownTools
from arc_autoconfig.server.permissions import tenant_for, user_for
from arc_autoconfig.server.served_runs import ApplicationRuns
from arc_autoconfig.server.served_tools import ApplicationTools
from arc_core.agents.agent import DEFAULT_AGENT, Agent
from arc_core.approvals import ApprovalRequest
from arc_core.command import identity_of, tenant_of
from arc_core.interfaces.agent_executor import AgentExecutor
from arc_core.interfaces.conversations.conversation_store import ConversationOwner
from arc_core.interfaces.optional import Health
from arc_core.interfaces.serving.deps_factory import DepsFactory
from arc_core.interfaces.serving.served_application import (
    Caller,
    ServedAgent,
    ServedApplication,
)
from arc_core.interfaces.tools.tool import Tool
from arc_core.runs.store import RunStore

__all__ = ["ServedArc"]


class ServedArc(ServedApplication):
    """What surfaces are given of a started application.

    Args:
        application: Started.
        has_keys: Whether callers need a key.

    Attributes:
        own_runs: The runs, as the server ends them.

    Raises:
        ConfigurationError: Its journals cannot serve runs.
    """

    def __init__(self, application: Application, *, has_keys: bool) -> None:
        self._application, self.has_keys = application, has_keys
        settings, component = application.settings, application.component
        self.public_url = settings.server.public_url
        self.max_body_bytes = settings.server.max_body_bytes
        self.max_attachment_bytes = settings.llm.max_attachment_bytes
        self._waiting_message = settings.server.waiting_message
        agents: tuple[Agent, ...] = component(Agent)
        self._agents = _describe(agents)
        journals = component(RunStore)
        self.runs = self.own_runs = ApplicationRuns(
            journals,
            kept=KeptRuns(journals, tools=KnownTools(component(Tool), agents)),
            agents=[each.name for each in self._agents],
            deps=component(DepsFactory),
            deps_timeout_s=settings.concurrency.component_timeout_s,
        )
        self.tools = ApplicationTools(component(AgentExecutor))
        self._views: Mapping[str, Callable[[], Any]] = {
            "components": lambda: components_view(application.build()),
            "conditions": lambda: application.report.to_dict()["decisions"],
            "plugins": lambda: application.report.to_dict()["plugins"],
            "config": lambda: config_view(settings, application.plugin_sections),
            "agents": lambda: agents_view(agents, application.report.decision(Agent)),
        }

    def agents(self, caller: Caller) -> Sequence[ServedAgent]:
        """The agents that a caller may ask, `default` first."""
        allowed = caller.agents
        return [each for each in self._agents if allowed is None or each.name in allowed]

    def owner(
        self, caller: Caller, *, user_id: str | None = None, tenant_id: str | None = None
    ) -> ConversationOwner:
        """Whose the conversations of a request are, as those of its runs would be."""
        tenant = tenant_of(tenant_for(tenant_id, caller))
        return ConversationOwner(identity_of(user_for(user_id, caller)), tenant)

    def tell_waiting(self, run_id: str, requests: Sequence[ApprovalRequest]) -> str:
        """The words for callers of a run that waits for a person."""
        calls = ", ".join(dict.fromkeys(each.summary or each.tool for each in requests))
        return self._waiting_message.format(run_id=run_id, calls=calls)

    async def health(self) -> Sequence[tuple[str, Health]]:
        """What was checked, and how it is."""
        return [(each.subject, each.health) for each in await self._application.health()]

    async def explain(self, view: str) -> Any:
        """What the command of the name prints with `--json`."""
        return self._views[view]()


def _describe(agents: Sequence[Agent]) -> list[ServedAgent]:
    named = [
        ServedAgent(name=each.name, description=each.description or "", examples=each.examples)
        for each in agents
    ]
    if any(each.name == DEFAULT_AGENT for each in named):
        return sorted(named, key=lambda each: each.name != DEFAULT_AGENT)
    return [ServedAgent(name=DEFAULT_AGENT), *named]
