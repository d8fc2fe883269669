"""The kinds of new plugin packages, one component of one interface each."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PackageKind:
    """One kind of plugin.

    Attributes:
        name: On the command line; also of the folder of its templates.
        noun: What it is, in a sentence.
        place: The group of its entry points, without `arc.`.
        member: The object's name in its module, or, with a capital, what is put behind the
            package's name for it.
        setting: An example of its settings, `.key=value`; empty when it has none.
    """

    name: str
    noun: str
    place: str
    member: str
    setting: str = ""

    @property
    def module(self) -> str:
        """The name of the module that is written."""
        return self.name.replace("-", "_")

    @property
    def group(self) -> str:
        """The group of its entry points."""
        return f"arc.{self.place}"

    @property
    def is_command(self) -> bool:
        """True for a subcommand, which is not a component."""
        return self.place == "commands"


_ALL = (
    PackageKind("guard", "a guard", "guards", "Guard", '.words=["secret"]'),
    PackageKind(
        "output-guard", "an output guard", "output_guards", "OutputGuard", '.words=["secret"]'
    ),
    PackageKind(
        "tool-result-guard",
        "a guard of tool results",
        "tool_result_guards",
        "ToolResultGuard",
        '.words=["secret"]',
    ),
    PackageKind("approval-policy", "an approval policy", "approval_policies", "ApprovalPolicy"),
    PackageKind("hook", "a hook", "hooks", "Hook", '.tools=["calculate"]'),
    PackageKind("tool", "a tool", "tools", "count_words"),
    PackageKind("agent", "an agent", "agents", "agent"),
    PackageKind("selector", "a tool selector", "tool_selectors", "ToolSelector"),
    PackageKind("compactor", "a compactor of conversations", "compactors", "Compactor"),
    PackageKind("filter", "a response filter", "response_filters", "ResponseFilter"),
    PackageKind("cache", "a response cache", "response_caches", "ResponseCache", ".max_size=100"),
    PackageKind(
        "manager", "a conversation manager", "conversation_managers", "ConversationManager"
    ),
    PackageKind("store", "a conversation store", "conversation_stores", "ConversationStore"),
    PackageKind("model", "a chat model", "chat_models", "ChatModel"),
    PackageKind("host", "a host of models", "hosts", "Host"),
    PackageKind("retriever", "a retriever", "retrievers", "Retriever"),
    PackageKind("estimator", "a token estimator", "token_estimators", "TokenEstimator"),
    PackageKind("embedder", "an embedder", "embedders", "Embedder"),
    PackageKind("prices", "prices of models", "model_prices", "ModelPrices"),
    PackageKind("budgets", "budgets", "budgets", "Budgets", ".tokens_per_day=1000000"),
    PackageKind("credentials", "credentials of people", "credentials", "Credentials"),
    PackageKind("metrics", "metrics", "agent_metrics", "AgentMetrics"),
    PackageKind("scorer", "a scorer of answers", "scorers", "Scorer"),
    PackageKind("text-mask", "a mask of texts", "text_masks", "TextMask", '.words=["Blue Heron"]'),
    PackageKind("command", "a subcommand", "commands", "command"),
)
KINDS = {kind.name: kind for kind in _ALL}
"""Every kind by its name, the first one without a choice."""
