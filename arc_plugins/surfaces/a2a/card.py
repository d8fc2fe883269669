"""The card by which clients find out what there is."""

from collections.abc import Sequence
from importlib.metadata import version

from a2a.types import (
    AgentCapabilities,
    AgentCard,
    AgentInterface,
    AgentSkill,
    HTTPAuthSecurityScheme,
    SecurityRequirement,
    SecurityScheme,
    StringList,
)

from arc_core import ServedAgent

_PATH = "a2a"


def make_card(agents: Sequence[ServedAgent], *, base_url: str, has_keys: bool) -> AgentCard:
    """The card of an application; each agent is a skill, which `arc/agent` in metadata chooses."""
    card = AgentCard(
        name="arc",
        description=agents[0].description or "Agents, each of which is a skill."
        if agents
        else "Agents, each of which is a skill.",
        version=version("arc-agents"),
        supported_interfaces=[
            AgentInterface(
                url=f"{base_url}{_PATH}", protocol_binding="JSONRPC", protocol_version="1.0"
            )
        ],
        capabilities=AgentCapabilities(streaming=True, extended_agent_card=has_keys),
        default_input_modes=["text/plain", "application/json", "image/*", "application/pdf"],
        default_output_modes=["text/plain"],
        skills=[_make_skill(agent) for agent in agents],
    )
    if has_keys:
        bearer = HTTPAuthSecurityScheme(scheme="bearer", description="A key of the server.")
        scheme = SecurityScheme(http_auth_security_scheme=bearer)
        card.security_schemes["key"].CopyFrom(scheme)
        card.security_requirements.append(SecurityRequirement(schemes={"key": StringList()}))
    return card


def _make_skill(agent: ServedAgent) -> AgentSkill:
    description = agent.description or f"Asks the agent {agent.name}."
    return AgentSkill(
        id=agent.name,
        name=agent.name,
        description=description,
        tags=["agent"],
        examples=agent.examples,
    )
