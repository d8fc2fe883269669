"""The card by which clients find out what there is."""

from collections.abc import Sequence
from importlib.metadata import version

from a2a import types

from arc_core import ServedAgent

_PATH = "a2a"
_DESCRIPTION = "Agents, each of which is a skill."


def make_card(agents: Sequence[ServedAgent], *, base_url: str, has_keys: bool) -> types.AgentCard:
    """The card of an application; each agent is a skill, which `arc/agent` in metadata chooses."""
    card = types.AgentCard(
        name="arc",
        description=(agents[0].description if agents else "") or _DESCRIPTION,
        version=version("arc-agents"),
        supported_interfaces=[
            types.AgentInterface(
                url=f"{base_url}{_PATH}", protocol_binding="JSONRPC", protocol_version="1.0"
            )
        ],
        capabilities=types.AgentCapabilities(streaming=True, extended_agent_card=has_keys),
        default_input_modes=["text/plain", "application/json", "image/*", "application/pdf"],
        default_output_modes=["text/plain"],
        skills=[
            types.AgentSkill(
                id=agent.name,
                name=agent.name,
                description=agent.description or f"Asks the agent {agent.name}.",
                tags=["agent"],
                examples=agent.examples,
            )
            for agent in agents
        ],
    )
    if has_keys:
        bearer = types.HTTPAuthSecurityScheme(scheme="bearer", description="A key of the server.")
        scheme = types.SecurityScheme(http_auth_security_scheme=bearer)
        card.security_schemes["key"].CopyFrom(scheme)
        card.security_requirements.append(
            types.SecurityRequirement(schemes={"key": types.StringList()})
        )
    return card
