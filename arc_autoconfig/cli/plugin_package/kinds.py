"""The kinds of new plugin packages, one component of one interface each."""

from dataclasses import dataclass

from arc_autoconfig.cli.command_group import COMMANDS_GROUP
from arc_core.agents.agent import Agent
from arc_core.components.extension_points import declared_place
from arc_core.interfaces.agent_metrics import AgentMetrics
from arc_core.interfaces.budgets import Budgets
from arc_core.interfaces.conversations.compactor import Compactor
from arc_core.interfaces.conversations.conversation_manager import ConversationManager
from arc_core.interfaces.conversations.conversation_store import ConversationStore
from arc_core.interfaces.conversations.retriever import Retriever
from arc_core.interfaces.credentials import Credentials
from arc_core.interfaces.evaluation.scorer import Scorer
from arc_core.interfaces.guards.guard import Guard
from arc_core.interfaces.guards.output_guard import OutputGuard
from arc_core.interfaces.guards.response_filter import ResponseFilter
from arc_core.interfaces.guards.text_mask import TextMask
from arc_core.interfaces.guards.tool_result_guard import ToolResultGuard
from arc_core.interfaces.hook import Hook
from arc_core.interfaces.models.chat_model import ChatModel
from arc_core.interfaces.models.embedder import Embedder
from arc_core.interfaces.models.host import Host
from arc_core.interfaces.models.model_prices import ModelPrices
from arc_core.interfaces.models.response_cache import ResponseCache
from arc_core.interfaces.models.token_estimator import TokenEstimator
from arc_core.interfaces.tools.approval_policy import ApprovalPolicy
from arc_core.interfaces.tools.tool import Tool
from arc_core.interfaces.tools.tool_selector import ToolSelector


@dataclass(frozen=True, slots=True)
class PackageKind:
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
    PackageKind("guard", "a guard", Guard, "Guard", '.words=["secret"]'),
    PackageKind("output-guard", "an output guard", OutputGuard, "OutputGuard", '.words=["secret"]'),
    PackageKind(
        "tool-result-guard",
        "a guard of tool results",
        ToolResultGuard,
        "ToolResultGuard",
        '.words=["secret"]',
    ),
    PackageKind("approval-policy", "an approval policy", ApprovalPolicy, "ApprovalPolicy"),
    PackageKind("hook", "a hook", Hook, "Hook", '.tools=["calculate"]'),
    PackageKind("tool", "a tool", Tool, "count_words"),
    PackageKind("agent", "an agent", Agent, "agent"),
    PackageKind("selector", "a tool selector", ToolSelector, "ToolSelector"),
    PackageKind("compactor", "a compactor of conversations", Compactor, "Compactor"),
    PackageKind("filter", "a response filter", ResponseFilter, "ResponseFilter"),
    PackageKind("cache", "a response cache", ResponseCache, "ResponseCache", ".max_size=100"),
    PackageKind("manager", "a conversation manager", ConversationManager, "ConversationManager"),
    PackageKind("store", "a conversation store", ConversationStore, "ConversationStore"),
    PackageKind("model", "a chat model", ChatModel, "ChatModel"),
    PackageKind("host", "a host of models", Host, "Host"),
    PackageKind("retriever", "a retriever", Retriever, "Retriever"),
    PackageKind("estimator", "a token estimator", TokenEstimator, "TokenEstimator"),
    PackageKind("embedder", "an embedder", Embedder, "Embedder"),
    PackageKind("prices", "prices of models", ModelPrices, "ModelPrices"),
    PackageKind("budgets", "budgets", Budgets, "Budgets", ".tokens_per_day=1000000"),
    PackageKind("credentials", "credentials of people", Credentials, "Credentials"),
    PackageKind("metrics", "metrics", AgentMetrics, "AgentMetrics"),
    PackageKind("scorer", "a scorer of answers", Scorer, "Scorer"),
    PackageKind("text-mask", "a mask of texts", TextMask, "TextMask", '.words=["Blue Heron"]'),
    PackageKind("command", "a subcommand", None, "command"),
)
KINDS = {kind.name: kind for kind in _ALL}
"""Every kind by its name, the first one without a choice."""
