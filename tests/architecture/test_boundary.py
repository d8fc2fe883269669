"""Components are called in one place, which alone decides what their failures mean."""

import ast
from collections.abc import Iterator

from tests.architecture.source import Source, dotted, sources

BOUNDARY = "arc_core/engine/boundary/"

# Every other catch or time-out around a component would be a policy beside the table.
CATCHES_EVERYTHING = {
    f"{BOUNDARY}boundary.py: call",
    f"{BOUNDARY}boundary.py: call_now",
    f"{BOUNDARY}boundary.py: __await__",  # sends on what is thrown into a coroutine
    "arc_core/engine/run/stored_runs.py: _cancel",  # the caller has left
    "arc_core/engine/run/stored_runs.py: _read",  # a failure is a result
    "arc_core/engine/journal/journal_channel.py: publish",  # the steps of the run tell it
    "arc_core/engine/run_limits.py: run",  # reads what ended a run past its end
    "arc_core/engine/run/executor.py: _run_to_result",  # failures of a run are results
    "arc_core/engine/model_calls/retry.py: _text",  # an exception that cannot say what it is
    "arc_core/engine/model_calls/model_call.py: _ask_with_retries",  # as the table says of models
}
HAS_A_TIMEOUT = {
    f"{BOUNDARY}boundary.py: _finish_within",
    "arc_core/engine/run_limits.py: _acquire",  # of a place among the runs
    "arc_core/engine/run_limits.py: run",  # of the whole run
}


def catching_everything(source: Source) -> Iterator[str]:
    """The functions of a file with `except Exception`, `except BaseException` or `except:`."""
    for function in source.functions:
        handlers = [node for node in ast.walk(function) if isinstance(node, ast.ExceptHandler)]
        if any(map(catches_everything, handlers)):
            yield f"{source.path}: {function.name}"


def catches_everything(handler: ast.ExceptHandler) -> bool:
    """Whether no exception passes."""
    every = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(
        each is None or dotted(each).rpartition(".")[2] in {"Exception", "BaseException"}
        for each in every
    )


_CLOCKS = {"LoopTimeout", "timeout", "timeout_at"}


def starting_a_clock(source: Source) -> Iterator[str]:
    """The functions of a file that bound a time."""
    for function in source.functions:
        calls = [node for node in ast.walk(function) if isinstance(node, ast.Call)]
        if any(dotted(call).rpartition(".")[2] in _CLOCKS for call in calls):
            yield f"{source.path}: {function.name}"


def test_only_the_boundary_catches_what_components_raise() -> None:
    """Nothing else in the engine catches everything, but for what has another reason."""
    found = {each for source in sources("arc_core/engine") for each in catching_everything(source)}

    assert found == CATCHES_EVERYTHING


def test_only_the_boundary_has_timeouts_of_components() -> None:
    """Each comes from the table of policies, or is one of the run itself."""
    found = {each for source in sources("arc_core/engine") for each in starting_a_clock(source)}

    assert found == HAS_A_TIMEOUT


def test_a_catch_of_everything_is_found() -> None:
    """In whatever form it is written."""
    text = """
def a():
    try: ...
    except (ValueError, builtins.Exception): ...
def b():
    try: ...
    except: ...
def c():
    try: ...
    except ValueError: ...
"""

    assert list(catching_everything(Source("x.py", text))) == ["x.py: a", "x.py: b"]


def test_a_clock_is_found() -> None:
    """However `asyncio` is imported, or by `LoopTimeout`."""
    text = "def a():\n    asyncio.timeout(1)\ndef b():\n    timeout_at(1)\ndef c(): LoopTimeout(1)"

    assert list(starting_a_clock(Source("x.py", text))) == ["x.py: a", "x.py: b", "x.py: c"]
