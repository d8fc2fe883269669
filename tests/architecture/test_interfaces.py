"""Every interface has a file of its own; what a component may add to some is in files for that."""

import ast

import pytest

from tests.architecture.source import Source, dotted, sources

FILES = [
    source for source in sources("arc_core/interfaces") if not source.path.endswith("__init__.py")
]
ADDED = ("/optional.py",)
"""What a component may add to its interface."""

INTERFACES = [source for source in FILES if not source.path.endswith(ADDED)]
BESIDE = {
    "AgentExecutor": ["CallsTools", "RunsToolCalls", "RecordsRuns"],
    "AgentMetrics": ["CountsKeptRuns", "CountsCompactions"],
    "ConversationStore": ["ListsSessions", "SummaryStore", "HandoffStore", "OfferedToolsStore"],
    "Embedder": ["CountsEmbeddings"],
    "Host": ["FrameDecoder", "HostedModels"],
    "Retriever": ["IndexesFiles", "EmbedsPassages"],
    "RunScope": ["RunScopes"],
    "Surface": ["ServesWorkers", "ServesStdio"],
    "Tool": ["ToolSource"],
    "ToolSelector": ["SearchesTools"],
    "ApprovalPolicy": ["NeverAsks"],
    "Budgets": ["ReportsBudgets"],
    "Credentials": ["ListsCredentials", "CompletesLogins"],
    "ConversationManager": ["RemembersOfferedTools"],
    "ServedApplication": ["ServedTools"],
    "ServedRecords": ["ServedRecord"],
}
"""Of no use without the interface of the file."""


def protocols(source: Source) -> list[str]:
    """The protocols a file defines."""
    return [
        cls.name for cls in source.classes if "Protocol" in {dotted(base) for base in cls.bases}
    ]


def camel_case(name: str) -> str:
    """`tool_selector` as a class is called."""
    return "".join(word.capitalize() for word in name.split("_"))


@pytest.mark.parametrize("source", INTERFACES, ids=lambda source: source.path)
def test_a_file_has_one_interface_of_its_name(source: Source) -> None:
    """`guard.py` defines the protocol `Guard` and no other; `Hook` alone is a plain class."""
    expected = camel_case(source.path.rpartition("/")[2].removesuffix(".py"))

    wanted = [expected, *BESIDE.get(expected, [])]
    assert protocols(source) == ([] if expected == "Hook" else wanted)


@pytest.mark.parametrize("source", FILES, ids=lambda source: source.path)
def test_protocols_can_be_checked_at_run_time(source: Source) -> None:
    """The wiring finds a component's interface by `isinstance`."""
    checked = {
        cls.name
        for cls in source.classes
        if "runtime_checkable" in {dotted(decorator) for decorator in cls.decorator_list}
    }

    assert checked == set(protocols(source))


@pytest.mark.parametrize("source", FILES, ids=lambda source: source.path)
def test_values_of_an_interface_are_frozen(source: Source) -> None:
    """What goes in and out of an interface never changes on the way."""
    decorators = [
        decorator
        for cls in source.classes
        for decorator in cls.decorator_list
        if dotted(decorator).endswith("dataclass")
    ]

    options = [
        {keyword.arg for keyword in each.keywords} if isinstance(each, ast.Call) else set()
        for each in decorators
    ]
    assert all("frozen" in each for each in options)


def test_protocols_are_recognised() -> None:
    """The checks of this file see a protocol, however it is imported."""
    text = "class A(Protocol): ...\nclass B(A): ...\nclass C: ..."

    assert protocols(Source("interface.py", text)) == ["A"]
