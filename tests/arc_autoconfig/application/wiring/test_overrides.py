"""What an application accepts as its container, and what is put into that."""

import json
import subprocess
import sys
from typing import Any

import pytest

from arc_autoconfig import Application, ArcContainer
from arc_autoconfig.errors import ComponentError
from arc_core import ChatModel
from arc_core.components.extension_points import Slot
from arc_core.testing import ScriptedChatModel
from tests.arc_autoconfig.offers import SLOTS

WITHOUT_DEFAULT = {"embedder", "reranker"}
ASKED = [slot for slot in SLOTS if slot.name not in WITHOUT_DEFAULT | {"credentials"}]
"""What the engine asks in any run; credentials only tools ask for."""


class OwnContainer(ArcContainer):
    """Of a user who forgot the parentheses."""


@pytest.mark.parametrize("container", [OwnContainer, ArcContainer, object(), "container"])
def test_anything_but_a_container_is_refused_and_harms_no_other(container: Any) -> None:
    """A class would be bound for the whole process."""
    with pytest.raises(ComponentError, match="container=") as raised:
        Application(container=container)

    assert "OwnContainer()" in raised.value.remedy or "ArcContainer()" in raised.value.remedy
    assert OwnContainer().builder() is None
    assert Application(container=OwnContainer()).report.winner(ChatModel) is not None


def test_a_class_attribute_that_is_not_a_provider_is_refused() -> None:
    """It would be without effect: only providers count in a container."""

    class Bare(ArcContainer):
        chat_model = ScriptedChatModel([])

    with pytest.raises(ComponentError, match=r"Bare\.chat_model") as raised:
        Application(container=Bare())

    assert "providers.Object" in raised.value.remedy


def test_an_override_made_before_the_application_is_checked() -> None:
    """A container may be prepared first."""
    container = OwnContainer()
    container.chat_model.override(ScriptedChatModel)

    with pytest.raises(ComponentError, match="the override of chat_model") as raised:
        Application(container=container)

    assert "providers.Singleton(ScriptedChatModel)" in raised.value.remedy


PROGRAM = """
import json, os, sys
import arc_autoconfig.container.application_scope
from arc_autoconfig import Application, ArcSettings
from arc_autoconfig.declare.interfaces import declared_in
from arc_core.command import AgentCommand
from arc_core.engine.guards.response_filters import ResponseFilterChain

for name in sys.argv[1:]:
    if name != "agent_executor":  # whose default these import
        import arc_autoconfig.runs.agent_application
        import arc_core.testing
        import tests.capped_budgets
    if os.fork() == 0:
        break
    if os.wait()[1]:
        sys.exit(1)
else:
    sys.exit()
slot = next(each for each in declared_in("arc_core") if each.name == name)
called = []


class Recorder:
    def __init__(self, inner):
        self.inner = inner

    def __getattr__(self, name):
        method = getattr(self.inner, name)

        def recorded(*args, **options):
            called.append(name)
            return method(*args, **options)

        return recorded


class RecordingChain(ResponseFilterChain):
    async def apply(self, content, context):
        called.append("apply")
        return content


class Ping:
    cacheable = True
    name, description, parameters, timeout_s = "ping", "Ping.", {"type": "object"}, None

    async def call(self, arguments, context):
        return "pong " * 1_000


class Executor:
    async def execute(self, command):
        return command

    def execute_stream(self, command): ...

    def stream_events(self, command): ...


class Store:
    async def owner_of(self, session_id): ...

    async def load(self, session_id, *, owner, max_turns, step=1):
        return ()

    async def append(self, session_id, messages, *, owner, run_id=None): ...

    async def delete(self, session_id): ...


class Policy:
    async def decide(self, call):
        from arc_core import Run
        return Run()


def replacement():
    if name == "agent_executor":
        return Recorder(Executor())
    if name == "response_filter_chain":
        return RecordingChain(())
    from arc_core import testing
    from arc_core.testing.fakes import FixedModelPrices, OldestFirstCompactor
    from tests.capped_budgets import CappedBudgets
    from arc_core.testing.run_journals import DictRunJournals
    if name == "run_journals":
        class Journals(DictRunJournals):
            async def start(self, body):
                called.append("start")
        return Journals()
    return Recorder({
        "approval_policy": Policy,
        "budgets": lambda: CappedBudgets(tokens=100_000),
        "compactor": OldestFirstCompactor,
        "model_prices": FixedModelPrices,
        "chat_model": lambda: testing.ScriptedChatModel(["Hello."]),
        "tool_selector": testing.EveryToolSelector,
        "response_cache": testing.DictResponseCache,
        "conversation_manager": testing.ListConversationManager,
        "conversation_store": Store,
        "retriever": testing.FixedRetriever,
        "token_estimator": testing.CharacterEstimator,
        "error_message_resolver": testing.CodeMessageResolver,
        "agent_metrics": testing.RecordingMetrics,
    }[name]())


window = {"max_context_window_tokens": 5_000, "max_output_tokens": 100}
settings = ArcSettings(
    cache={"enabled": name == "response_cache"},
    llm=window if name == "compactor" else {},
    retry={"max_attempts": 1},
)
default = Application(settings, plugins=False).report.winner(slot.interface)
app = Application(settings, plugins=False, register=[Ping()])
getattr(app.container, name).override(replacement())
if name == "error_message_resolver":
    from arc_core.errors import ModelUnavailableError
    from arc_core.testing import ScriptedChatModel

    app.container.chat_model.override(ScriptedChatModel([ModelUnavailableError("down")]))
if name == "compactor":
    from arc_core import ToolCall
    from arc_core.testing import ScriptedChatModel

    pings = [[ToolCall(str(number), "ping", "{}")] for number in range(4)]
    app.container.chat_model.override(ScriptedChatModel([*pings, "Hello."]))
asked = AgentCommand(user_prompt="What is 2+2?", session_id="s", user_id="u", temperature=0)
if name == "model_prices":  # which are those of models with a name
    asked = asked.model_copy(update={"model": "any"})
app.run(asked)
decision = app.report.to_dict()["decisions"][name]
print(json.dumps({
    "slot": name,
    "called": called,
    "default": default.name,
    "is_imported": default.reference.partition(":")[0] in sys.modules,
    "decision": decision,
}))
"""


@pytest.fixture(scope="module")
def overridden() -> dict[str, Any]:
    """What a process sees of each slot that it overrides; no other has imported its default.

    Each is a fork of one that has imported what all of them need.
    """
    process = subprocess.run(
        [sys.executable, "-c", PROGRAM, *(slot.name for slot in ASKED)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert process.returncode == 0, process.stderr
    seen = map(json.loads, process.stdout.splitlines())
    return {each["slot"]: each for each in seen if "slot" in each}


@pytest.mark.slow
@pytest.mark.timeout(400)
@pytest.mark.parametrize("slot", ASKED, ids=lambda slot: slot.name)
def test_runs_use_the_override(slot: Slot, overridden: dict[str, Any]) -> None:
    """A run calls it, the default is not even imported, and the report says why."""
    seen = overridden[slot.name]

    assert seen["called"]
    assert not seen["is_imported"]
    decision = seen["decision"]
    (winner,) = decision["winners"]
    assert winner["source"] == "override"
    assert decision["reason"] == "the container's provider is overridden"
    (loser,) = [each for each in decision["losers"] if each["name"] == seen["default"]]
    assert loser["reason"].startswith("stepped back for ")
    assert loser["distribution"] == "arc-agents"
    assert loser["version"]
