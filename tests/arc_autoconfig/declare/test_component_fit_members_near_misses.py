"""Names that are nearly those of an interface."""

import pytest

from arc_autoconfig.declare.component_fit import find_near_miss
from arc_core import AgentMetrics, Allowed, Guard, GuardRequest, GuardResult, Hook, Tool, ToolSource
from tests.arc_autoconfig.offers import OpenGuard


class Misspelt(Guard):
    async def chek(self, request: GuardRequest) -> GuardResult:
        return Allowed()


class MisspeltHook(Hook):
    async def before_toolcall(self, context: object) -> None: ...


class CamelCaseHook(Hook):
    async def beforeToolCall(self, context: object) -> None: ...  # noqa: N802 -- the mistake


class AddedHook(Hook):
    async def before_tool_call(self, context: object) -> None: ...

    async def after_tool_calls(self, context: object) -> None: ...


class MisspeltField(Hook):
    fail_on_eror = True


class MisspeltMetrics(AgentMetrics):
    def record_runs(self, record: object) -> None: ...


class MisspeltTool(Tool):
    descripton = "What it does."


class MisspeltSource(ToolSource):
    def tool(self) -> None: ...


class Inheriting(MisspeltHook):
    """Inherits the mistake."""


@pytest.mark.parametrize(
    ("cls", "interface", "near", "meant"),
    [
        (Misspelt, Guard, "chek", "check"),
        (MisspeltHook, Hook, "before_toolcall", "before_tool_call"),
        (CamelCaseHook, Hook, "beforeToolCall", "before_tool_call"),
        (AddedHook, Hook, "after_tool_calls", "after_tool_call"),
        (MisspeltField, Hook, "fail_on_eror", "fail_on_error"),
        (MisspeltMetrics, AgentMetrics, "record_runs", "record_run"),
        (MisspeltTool, Tool, "descripton", "description"),
        (MisspeltSource, ToolSource, "tool", "tools"),
        (Inheriting, Hook, "before_toolcall", "before_tool_call"),
    ],
)
def test_a_near_miss_is_told_with_the_name_that_was_meant(
    cls: type, interface: type, near: str, meant: str
) -> None:
    """It would never be called, and nothing else would tell."""
    assert find_near_miss(cls, interface) == f"it has {near}, which Arc never uses: write {meant}"


class Helping(OpenGuard):
    """Has all it needs, and more."""

    orders = ("first", "second")

    def checks(self) -> None: ...

    def _chek(self) -> None: ...


class BusyHook(Hook):
    """Has methods of its own."""

    border = "solid"

    async def before_agent_start(self, context: object) -> None: ...

    def flush(self) -> None: ...


@pytest.mark.parametrize(
    ("cls", "interface"), [(Helping, Guard), (BusyHook, Hook), (OpenGuard, Guard), (Hook, Hook)]
)
def test_what_resembles_a_method_that_is_there_is_left_alone(cls: type, interface: type) -> None:
    """Helpers may be called as their author likes, if what must be there is there."""
    assert find_near_miss(cls, interface) is None
