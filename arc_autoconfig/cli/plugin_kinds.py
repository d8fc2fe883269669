"""What a new plugin package can bring, one component of one interface each."""

from dataclasses import dataclass

from arc_autoconfig.cli.command_group import COMMANDS_GROUP
from arc_core.agents.agent import Agent
from arc_core.components.extension_points import declared_place
from arc_core.interfaces.agent_metrics import AgentMetrics
from arc_core.interfaces.approval_policy import ApprovalPolicy
from arc_core.interfaces.budgets import Budgets
from arc_core.interfaces.chat_model import ChatModel
from arc_core.interfaces.conversation_manager import ConversationManager
from arc_core.interfaces.conversation_store import ConversationStore
from arc_core.interfaces.guard import Guard
from arc_core.interfaces.hook import Hook
from arc_core.interfaces.model_prices import ModelPrices
from arc_core.interfaces.output_guard import OutputGuard
from arc_core.interfaces.response_cache import ResponseCache
from arc_core.interfaces.response_filter import ResponseFilter
from arc_core.interfaces.retriever import Retriever
from arc_core.interfaces.token_estimator import TokenEstimator
from arc_core.interfaces.tool import Tool
from arc_core.interfaces.tool_result_guard import ToolResultGuard
from arc_core.interfaces.tool_selector import ToolSelector

__all__ = ["KINDS", "Kind"]


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of plugin.

    Attributes:
        name: On the command line; also of the folder of its templates.
        noun: What it is, in a sentence.
        interface: What the component is; None for a subcommand.
        member: The object's name in its module, or, with a capital, what is put behind the
            package's name for it.
        setting: An example of its settings, `.key=value`; empty when it has none.
    """

    name: str
    noun: str
    interface: type | None
    member: str
    setting: str = ""

    @property
    def module(self) -> str:
        """The name of the module that is written."""
        return self.name.replace("-", "_")

    @property
    def group(self) -> str:
        """Its entry points."""
        place = declared_place(self.interface)
        return COMMANDS_GROUP if place is None or place.group is None else place.group


_ALL = (
    Kind("guard", "a guard", Guard, "Guard", '.words=["secret"]'),
    Kind("output-guard", "an output guard", OutputGuard, "OutputGuard", '.words=["secret"]'),
    Kind(
        "tool-result-guard",
        "a guard of tool results",
        ToolResultGuard,
        "ToolResultGuard",
        '.words=["secret"]',
    ),
    Kind("approval-policy", "an approval policy", ApprovalPolicy, "ApprovalPolicy"),
    Kind("hook", "a hook", Hook, "Hook", '.tools=["calculate"]'),
    Kind("tool", "a tool", Tool, "count_words"),
    Kind("agent", "an agent", Agent, "agent"),
    Kind("selector", "a tool selector", ToolSelector, "ToolSelector"),
    Kind("filter", "a response filter", ResponseFilter, "ResponseFilter"),
    Kind("cache", "a response cache", ResponseCache, "ResponseCache", ".max_size=100"),
    Kind("manager", "a conversation manager", ConversationManager, "ConversationManager"),
    Kind("store", "a conversation store", ConversationStore, "ConversationStore"),
    Kind("model", "a chat model", ChatModel, "ChatModel"),
    Kind("retriever", "a retriever", Retriever, "Retriever"),
    Kind("estimator", "a token estimator", TokenEstimator, "TokenEstimator"),
    Kind("prices", "prices of models", ModelPrices, "ModelPrices"),
    Kind("budgets", "budgets", Budgets, "Budgets", ".tokens_per_day=1000000"),
    Kind("metrics", "metrics", AgentMetrics, "AgentMetrics"),
    Kind("command", "a subcommand", None, "command"),
)
KINDS = {kind.name: kind for kind in _ALL}
"""Every kind by its name, the first one without a choice."""
