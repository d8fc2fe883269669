"""Each rule is seen to find what breaks it, and to leave alone what keeps it."""

import pytest

from tests.architecture import rules
from tests.architecture.source import Source

LONG = "\n".join(f"    x = {number}" for number in range(40))

BROKEN: list[tuple[rules.Rule, str]] = [
    (rules.modules_are_short, "x = 1\n" * 401),
    (rules.functions_are_short, f"def f():\n{LONG}"),
    (rules.parameters_are_few, "def f(a, b, c, d, *, e, f, g, h): ..."),
    (rules.no_forbidden_names, "import asyncio\nasyncio.gather()"),
    (rules.no_forbidden_names, "from asyncio import wait_for as wait"),
    (rules.no_forbidden_names, "import typing\nif typing.TYPE_CHECKING: ..."),
    (rules.no_suppressed_cancellation, "suppress(ValueError, asyncio.CancelledError)"),
    (rules.no_suppressed_cancellation, "contextlib.suppress(BaseException)"),
    (rules.caught_cancellation_leaves, "def f():\n try: g()\n except CancelledError: pass"),
    (
        rules.caught_cancellation_leaves,
        "def f():\n try: g()\n except (KeyError, asyncio.CancelledError): return 1",
    ),
    (rules.broad_excepts_have_reasons, "try: f()\nexcept Exception: pass"),
    (rules.broad_excepts_have_reasons, "try: f()\nexcept: pass"),
    (rules.broad_excepts_have_reasons, "try: f()\nexcept BaseException:  # noqa: BLE001\n pass"),
    (
        rules.no_yield_inside_a_scope,
        "async def f():\n async with asyncio.timeout(1):\n  if x:\n   yield 1",
    ),
    (
        rules.no_yield_inside_a_scope,
        "async def f():\n async with a() as b, TaskGroup() as group:\n  yield 1",
    ),
    (rules.names_say_what_they_are, "class DefaultGuard: ..."),
    (rules.names_say_what_they_are, "class BaseGuard: ..."),
    (rules.names_say_what_they_are, "class GuardImpl: ..."),
    (rules.public_names_are_declared, "__all__ = []\ndef f(): ..."),
    (rules.public_names_are_declared, "class C: ..."),
    (rules.public_names_are_declared, "__all__ = ['gone']"),
    (rules.tests_state_one_claim, "def test_f(): ..."),
    (rules.tests_state_one_claim, 'def test_f():\n    """One.\n\n    Two.\n    """'),
    (rules.tests_state_one_claim, f'def test_f():\n    """One."""\n{LONG}'),
    (rules.no_mocks, "from unittest.mock import Mock"),
]

KEPT: list[tuple[rules.Rule, str]] = [
    (rules.functions_are_short, 'def f():\n    """A.\n' + "\n" * 40 + '    """'),
    (rules.parameters_are_few, "def f(self, a, b, c, d, *, e, f, g): ..."),
    (rules.no_forbidden_names, "await condition.wait_for(ready)"),
    (rules.no_suppressed_cancellation, "suppress(ValueError)"),
    (rules.caught_cancellation_leaves, "def f():\n try: g()\n except CancelledError: raise"),
    (rules.broad_excepts_have_reasons, "try: f()\nexcept Exception:  # a hook fails open\n pass"),
    (rules.broad_excepts_have_reasons, "try: f()\nexcept ValueError: pass"),
    (rules.broad_excepts_have_reasons, "try: f()\nexcept BaseException:\n g()\n raise"),
    (rules.no_yield_inside_a_scope, "async def f():\n async with aclosing(s) as s:\n  yield 1"),
    (
        rules.no_yield_inside_a_scope,
        "async def f():\n yield 1\n async with asyncio.timeout(1): await g()",
    ),
    (rules.names_say_what_they_are, "class Baseline: ...\nclass Defaults: ..."),
    (rules.public_names_are_declared, "__all__ = ['f', 'X']\nX = 1\ndef f(): ...\ndef _g(): ..."),
    (rules.tests_state_one_claim, 'def test_f():\n    """One."""\n\n\ndef helper(): ...'),
]


@pytest.mark.parametrize(("rule", "text"), BROKEN)
def test_a_rule_finds_what_breaks_it(rule: rules.Rule, text: str) -> None:
    """A bad sample is found, with file and line."""
    findings = list(rule(Source("package/module.py", text)))

    assert findings
    assert all(finding.startswith("package/module.py:") for finding in findings)


@pytest.mark.parametrize(("rule", "text"), KEPT)
def test_a_rule_leaves_alone_what_keeps_it(rule: rules.Rule, text: str) -> None:
    """A good sample is not found."""
    assert list(rule(Source("package/module.py", text))) == []


@pytest.mark.parametrize("name", ["utils", "helpers", "common", "manager", "types"])
def test_empty_names_of_modules_are_found(name: str) -> None:
    """A module or folder may not be called by a name that says nothing."""
    for path in (f"package/{name}.py", f"package/{name}/module.py"):
        assert list(rules.names_say_what_they_are(Source(path, "")))


def test_every_rule_has_a_bad_sample() -> None:
    """No rule is applied that has never been seen to find anything."""
    applied = {*rules.RULES_FOR_PACKAGES, *rules.RULES_FOR_TESTS}

    assert applied == {rule for rule, _ in BROKEN}


def test_an_internal_module_lists_no_names() -> None:
    """It would say again which names have no underscore."""
    text = '__all__ = ["f"]\ndef f(): ...'

    [finding] = rules.public_names_are_declared(Source("arc_plugins/guards/length.py", text))

    assert finding.startswith("arc_plugins/guards/length.py:1: an internal module")
