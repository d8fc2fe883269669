"""An application as its surfaces have it."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from uuid import uuid4

from arc_autoconfig.application import Application
from arc_autoconfig.explain.agents import agent_entries
from arc_autoconfig.explain.wired import components_view
from arc_autoconfig.settings.inventory import config_view
from arc_core.agents.agent import DEFAULT_AGENT, Agent
from arc_core.command import AgentCommand, identity_of, tenant_of
from arc_core.errors import ConfigurationError
from arc_core.interfaces.agent_executor import AgentExecutor, CallsTools, RunsToolCalls
from arc_core.interfaces.conversations.conversation_store import ConversationOwner
from arc_core.interfaces.optional import Health
from arc_core.interfaces.serving.deps_factory import DepsFactory
from arc_core.interfaces.serving.served_application import (
    ServedAgent,
    ServedApplication,
    ServedCall,
    ServedTool,
    ServedTools,
)
from arc_core.log import get_logger
from arc_core.messages import ToolCall, ToolOutcome, ToolResult
from arc_core.requests import ApprovalRequest, Request
from arc_core.runs.callers import Caller, tenant_for, user_for
from arc_core.runs.store import Capability, RunStore
from arc_core.serving import RequestForm

logger = get_logger("server")


class ServedArc(ServedApplication):
    """A started application, as surfaces have it."""

    def __init__(self, application: Application, *, has_keys: bool) -> None:
        self._application, self.has_keys = application, has_keys
        settings, component = application.settings, application.component
        self.public_url = settings.server.public_url
        self.max_body_bytes = settings.server.max_body_bytes
        self.max_attachment_bytes = settings.llm.max_attachment_bytes
        self._waiting_message = settings.server.waiting_message
        agents: tuple[Agent, ...] = component(Agent)
        self._agents = _describe(agents)
        _check_store(component(RunStore))
        self.runs, self.records = application.runs, application.records
        component(DepsFactory)  # so that one that cannot be had is told of before any request
        self.tools = ApplicationTools(component(AgentExecutor))
        self._views: Mapping[str, Callable[[], Any]] = {
            "components": lambda: components_view(application.build()),
            "conditions": lambda: application.report.to_dict()["decisions"],
            "plugins": lambda: application.report.to_dict()["plugins"],
            "config": lambda: config_view(settings, application.plugin_sections),
            "agents": lambda: [
                each.to_dict() for each in agent_entries(agents, application.report.decision(Agent))
            ],
        }

    def agents(self, caller: Caller) -> Sequence[ServedAgent]:
        """The agents that a caller may ask, `default` first."""
        allowed = caller.agents
        return [each for each in self._agents if allowed is None or each.name in allowed]

    def owner(
        self, caller: Caller, *, user_id: str | None = None, tenant_id: str | None = None
    ) -> ConversationOwner:
        """Return the owner of the conversations of a request, as of its runs."""
        tenant = tenant_of(tenant_for(tenant_id, caller))
        return ConversationOwner(identity_of(user_for(user_id, caller)), tenant)

    def tell_waiting(self, run_id: str, requests: Sequence[Request]) -> str:
        """The words for callers of a run that waits for a person."""
        calls = [each for each in requests if isinstance(each, ApprovalRequest)]
        texts = [_tell_user(each) for each in requests if not isinstance(each, ApprovalRequest)]
        if calls or not texts:
            named = ", ".join(dict.fromkeys(each.summary or each.tool for each in calls))
            texts.insert(0, self._waiting_message.format(run_id=run_id, calls=named))
        return "\n".join(texts)

    async def health(self) -> Sequence[tuple[str, Health]]:
        """Return what was checked, and how it is."""
        return [(each.subject, each.health) for each in await self._application.health()]

    async def explain(self, view: str) -> Any:
        """Return what the command of the name prints with `--json`."""
        return self._views[view]()


def _tell_user(request: Request) -> str:
    """Return a question or a login in words: it is put to the user, and no setting hides it."""
    form = RequestForm.of(request)
    return form.text if form.url is None else f"{form.text} {form.url}"


def _check_store(store: RunStore) -> None:
    """Refuse a store that cannot say whose a run is, and say if it needs workers."""
    if Capability.LISTS not in store.capabilities:
        raise ConfigurationError(
            f"{type(store).__qualname__} cannot serve runs",
            evidence=["it lacks Capability.LISTS, and cannot tell whose a run is"],
            remedy="choose a store of runs that can, as Arc's own are",
        )
    if store.leaves_runs_to_workers:
        logger.warning(
            "runs that are submitted to this server stay queued until a worker takes them",
            remedy="start `arc worker`, or set durable.work = true",
        )


def _describe(agents: Sequence[Agent]) -> list[ServedAgent]:
    named = [
        ServedAgent(name=each.name, description=each.description or "", examples=each.examples)
        for each in agents
    ]
    if any(each.name == DEFAULT_AGENT for each in named):
        return sorted(named, key=lambda each: each.name != DEFAULT_AGENT)
    return [ServedAgent(name=DEFAULT_AGENT), *named]


class ApplicationTools(ServedTools):
    """Called by the engine, if that can; none are offered if it is not a `CallsTools`."""

    def __init__(self, executor: AgentExecutor) -> None:
        self._engine = executor if isinstance(executor, CallsTools) else None
        self._runs = executor if isinstance(executor, RunsToolCalls) else None
        if self._engine is None:
            logger.warning(
                "tools are not offered to callers, only agents: the agent executor calls none",
                agent_executor=type(executor).__qualname__,
                remedy="give it callable_tools() and call_tool(), as CallsTools has them",
            )

    def list_for(self, caller: Caller) -> Sequence[ServedTool]:
        """The tools that there are at this moment; none for a key that is for some agents."""
        if self._engine is None or caller.agents is not None:
            return ()
        return [
            ServedTool(
                name=tool.name,
                description=tool.description,
                parameters=tool.parameters,
                may_wait=self._runs is not None and self._runs.may_wait(tool),
            )
            for tool in self._engine.callable_tools()
        ]

    async def call(self, call: ServedCall, *, caller: Caller) -> ToolResult:
        """Call a tool; failures are results."""
        command = AgentCommand(
            user_prompt="",
            user_id=user_for(call.user_id, caller),
            tenant_id=tenant_for(call.tenant_id, caller),
            session_id=call.session_id,
        )
        made = ToolCall(str(uuid4()), call.tool, json.dumps(dict(call.arguments)))
        if self._engine is None or caller.agents is not None:
            text = f"Error: Tool '{call.tool}' not found"
            return ToolResult(made.id, made.name, text, ToolOutcome.NOT_FOUND)
        return await self._engine.call_tool(made, command, report=call.report)
