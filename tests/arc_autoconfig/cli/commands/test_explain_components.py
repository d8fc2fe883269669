"""`arc components`."""

import json

from tests.arc_autoconfig.cli.invoking import invoke


def test_people_read_a_table() -> None:
    """A line per component, with its type and what it is built with."""
    lines = invoke("components").stdout.splitlines()

    (line,) = [each for each in lines if "WindowConversationManager" in each]
    assert "conversation_store" in line


def test_programs_read_json() -> None:
    """The same, with nothing else on standard output."""
    components = json.loads(invoke("components", "--json").stdout)

    executor = next(each for each in components if each["place"] == "agent_executor")
    assert executor["type"] == "arc_core.engine.run.executor:ReActAgentExecutor"
    assert "chat_model" in executor["needs"]
    guards = [each["order"] for each in components if each["place"] == "guards"]
    assert guards == sorted(guards)


def test_the_graph_can_be_drawn() -> None:
    """In Mermaid's language."""
    graph = invoke("components", "--graph").stdout

    assert graph.startswith("graph LR\n")
    assert "--> chat_model" in graph
