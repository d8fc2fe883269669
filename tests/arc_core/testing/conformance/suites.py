"""Suites for components that break a contract: a fault is found by the rule that is about it."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from inspect import isawaitable
from typing import Any

import pytest

_FAILURES = (AssertionError, pytest.fail.Exception)


class Fault:
    """A component that breaks a rule of its suite.

    Args:
        component: Makes it.
        rule: The name of the test that finds it, without `test_`.
        *arguments: Of that test.
        error: Raised by it.
        match: Found in the text of the error.
    """

    def __init__(
        self,
        component: Callable[[], Any],
        rule: str,
        *arguments: Any,
        error: type[BaseException] | tuple[type[BaseException], ...] = _FAILURES,
        match: str | None = None,
    ) -> None:
        self.component, self.rule, self.arguments = component, rule, arguments
        self.error, self.match = error, match

    def __repr__(self) -> str:
        name = getattr(self.component, "__name__", "")
        return "-".join([name, self.rule, *(ascii(each) for each in self.arguments[:2])])[:99]

    async def check(self, suite: type[Any], **attributes: Any) -> None:
        """Fail if the suite, with these attributes, does not find it."""
        test = getattr(make_suite(suite, self.component, **attributes), f"test_{self.rule}")
        with pytest.raises(self.error, match=self.match):
            await _run(test, *self.arguments)


async def _run(test: Callable[..., Any], *arguments: Any) -> None:
    outcome = test(*arguments)
    if isawaitable(outcome):
        await outcome


def make_good_suite(
    suite: type[Any], component: Callable[[], Any], *, failing: Callable[[], Any] | None = None
) -> type[Any]:
    """Return a suite that passes: it makes this component, and that one where one has to fail."""
    names = [name for name in dir(suite) if name.startswith("make_")]
    makers: dict[str, Any] = {
        name: lambda self: component() for name in names if not name.startswith("make_failing_")
    }
    if failing is not None:
        makers |= {name: lambda self: failing() for name in names if name not in makers}
    return type("Suite", (suite,), makers)


def make_suite(suite: type[Any], component: Callable[[], Any], **attributes: Any) -> Any:
    """Return a suite each of whose `make_…` makes this component."""
    names = [name for name in dir(suite) if name.startswith("make_")]
    makers = dict.fromkeys(names, lambda self: component())
    return type("Suite", (suite,), makers | attributes)()


class FindsFaults:
    """A suite finds each of these faults by the rule that is about it.

    Attributes:
        suite: The suite.
        faults: The components that break it.
    """

    suite: type[Any]
    faults: Sequence[Fault]

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """Make a test of each fault."""
        if "fault" in metafunc.fixturenames:
            metafunc.parametrize("fault", self.faults, ids=repr)

    async def test_a_fault_is_found(self, fault: Fault) -> None:
        """By the rule that is about it."""
        await fault.check(self.suite)


class FindsFaultOfEveryRule(FindsFaults):
    """The faults break every rule of the suite."""

    def test_every_rule_is_broken_once(self) -> None:
        """No test of the suite has never been seen to fail."""
        assert find_unbroken_rules(self.suite, self.faults) == set()


def find_unbroken_rules(suite: type[Any], faults: Iterable[Fault]) -> set[str]:
    """Return the rules of a suite that no fault breaks."""
    rules = {name.removeprefix("test_") for name in vars(suite) if name.startswith("test_")}
    return rules - {fault.rule for fault in faults}


async def swallow_cancellation() -> None:
    """Wait for ever, and go on once that is cancelled."""
    try:
        await asyncio.Event().wait()
    except asyncio.CancelledError:
        return
    raise AssertionError("nothing sets the event")
