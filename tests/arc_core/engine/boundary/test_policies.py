"""The table of policies: each interface fails as it says, whatever kind of failure it is."""

import asyncio
import inspect
import logging
from typing import Any, get_args, get_type_hints

import pytest

from arc_core import (
    AgentMetrics,
    AgentResult,
    Guard,
    Hook,
    ParsesArguments,
    ResponseFilter,
    RunFinished,
    RunStore,
    SearchesTools,
    Tool,
    ToolSource,
)
from arc_core.engine.boundary.policies import POLICIES, Fails, Policy
from arc_core.engine.turns.collaborators import AgentComponents
from tests.arc_core.engine.boundary.misbehaving import KINDS, World
from tests.architecture.source import ROOT
from tests.docs.pages import PAGES

PAGE = ROOT / "docs" / "architecture.md"


# Of these nothing is used, or anything is right.
ANY_RESULT = (
    "Hook.after", "Hook.before_agent_resume", "ConversationManager.save", "RemembersHandoffs.save",
    "RemembersOfferedTools.save",
    "ResponseCache.put", "AgentMetrics", "Tool.", "ParsesArguments", "aclose",
    "Budgets.settle",
)  # fmt: skip

OF_WIRING = ("close() of a component of the run",)
"""What no run calls itself; `container/test_lifecycle_closing.py` has every failure."""

OF_EVALUATIONS = {("Scorer.score",), ("CaseDeps.make_case_deps",)}
"""What only evaluations call; `evaluation/test_evaluation_failures.py` has every failure."""

OF_APPLICATIONS = {
    "Credentials.put",
    "Credentials.remove",
    "ResponseCache.invalidate",
    "ResponseCache.invalidate_all",
    "RunScopes.find_missing",
    "RunScopes.open",
    *(f"RunStore.{name}" for name in vars(RunStore)),
}
"""Methods that the engine never calls, that belong to the wiring, or whose failure the caller has
to know, since its run is not kept."""


def cases(*, cancelled: bool) -> list[Any]:
    """Every method of every interface with every kind of failure that it can have."""
    return [
        pytest.param(policy, call, kind, id=f"{call}: {kind}")
        for policy in POLICIES
        if policy.calls not in {OF_WIRING, *OF_EVALUATIONS}
        for call in policy.calls
        for kind in KINDS
        if (kind == "cancel" and policy.timeout is not None) == cancelled
        and is_possible(policy, call, kind)
    ]


def is_possible(policy: Policy, call: str, kind: str) -> bool:
    """Whether a method can fail in this way."""
    if kind == "timeout":
        synchronous = call == "ParsesArguments.parse_arguments"
        return policy.timeout not in {None, "concurrency.request_timeout_s"} and not synchronous
    return kind != "wrong type" or not call.startswith(ANY_RESULT)


async def result_of(world: World) -> AgentResult:
    """The result of a run; a streamed one tells it once."""
    if world.has_two_lives:
        return await world.result_of_two_lives()
    if not world.streaming:
        return await world.agent().execute(world.command)
    events = [event async for event in world.agent().stream_events(world.command)]
    [finished] = [event for event in events if isinstance(event, RunFinished)]
    return finished.result


@pytest.mark.parametrize(("policy", "call", "kind"), cases(cancelled=False))
async def test_a_component_fails_by_its_policy(policy: Policy, call: str, kind: str) -> None:
    """Nothing escapes; the run goes on or ends as the table says, and hooks hear of it once."""
    world = World(policy, call, kind)

    result = await result_of(world)

    resolving = call == "ErrorMessageResolver.resolve"
    assert result.success == (policy.fails is not Fails.CLOSED and not resolving)
    assert world.ends == 1
    assert set(world.metrics.faults) == ({policy.fault} if policy.fault else set())
    assert "hunter2" not in f"{result}"


@pytest.mark.parametrize(("policy", "call", "kind"), cases(cancelled=True))
async def test_a_cancel_leaves_every_component(policy: Policy, call: str, kind: str) -> None:
    """Out of the run; the hooks behind hear of the end all the same."""
    world = World(policy, call, kind)

    with pytest.raises(asyncio.CancelledError):
        await result_of(world)

    assert world.ends == 1
    assert world.metrics.faults == []


async def test_a_failure_is_logged_with_the_name_of_the_component(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """By the part of Arc that called it, at ERROR, with its exception."""
    policy = next(policy for policy in POLICIES if policy.calls == ("Retriever.retrieve",))

    await result_of(World(policy, "Retriever.retrieve", "panic"))

    [record] = [each for each in caplog.records if each.name == "arc.retrieval"]
    assert record.levelno == logging.ERROR
    assert vars(record)["component"] == "Broken"
    assert record.exc_info


def interfaces() -> set[type]:
    """The interfaces of everything an engine works with."""
    hints = get_type_hints(AgentComponents).values()
    classes = [cls for hint in hints for cls in flatten(hint) if isinstance(cls, type)]
    return {cls for cls in classes if cls.__module__.startswith("arc_core.interfaces.")}


def flatten(hint: Any) -> list[Any]:
    """The parts of a tuple or union of types, or the type itself."""
    return [part for each in get_args(hint) for part in flatten(each)] or [hint]


def methods() -> dict[str, Any]:
    """Every method of these interfaces by its name in the table."""
    return {
        f"{cls.__name__}.{name}": method
        for cls in {*interfaces(), ResponseFilter, ParsesArguments, SearchesTools} - {AgentMetrics}
        for name, method in vars(cls).items()
        if inspect.isfunction(method) and not name.startswith("_")
    }


def test_the_table_has_every_method_that_the_engine_calls() -> None:
    """A method that is added to an interface needs a policy."""
    listed = {call for policy in POLICIES for call in policy.calls}

    assert {Guard, Hook, Tool, ToolSource, AgentMetrics} <= interfaces()
    assert methods().keys() - listed == OF_APPLICATIONS & methods().keys()


def test_every_call_that_is_awaited_has_a_timeout() -> None:
    """Only what answers at once has none."""
    awaited = {
        name
        for name, method in methods().items()
        if inspect.iscoroutinefunction(method) or "AsyncIterator" in str(inspect.signature(method))
    }
    unbounded = {call for policy in POLICIES if policy.timeout is None for call in policy.calls}

    assert {"Guard.check", "ChatModel.stream"} <= awaited
    assert awaited & unbounded == set()


def rows() -> list[str]:
    """The table as the documentation has it."""
    return [
        f"| {', '.join(f'`{call}`' if '(' not in call else call for call in policy.calls)} "
        f"| {policy.fails} | {f'`{policy.timeout}`' if policy.timeout else '–'} "
        f"| {f'`{policy.fault}`' if policy.fault else '–'} | {policy.stands_in} |"
        for policy in POLICIES
    ]


def test_the_documentation_has_the_table() -> None:
    """Row by row, as the code has it."""
    page = PAGE.read_text(encoding="utf-8").splitlines()

    assert PAGE in PAGES
    assert [row for row in rows() if row not in page] == []
