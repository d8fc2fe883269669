"""The error tree: one root, codes by type, and errors that survive being passed around."""

import copy
import pickle
from collections.abc import Iterator

import pytest

from arc_core import errors
from arc_core.errors import (
    AgentErrorCode,
    ArcError,
    ConfigurationError,
    IncompleteStreamError,
    ModelError,
    ModelUnavailableError,
    QuotaExceededError,
    RateLimitError,
    SessionOwnershipError,
    ToolArgumentsError,
    ToolDefinitionError,
)

EXAMPLES = [
    ArcError("something"),
    RateLimitError("slow down", retry_after_s=2.5),
    ToolDefinitionError(tool="weather", problem="it has none", remedy="Give it one."),
    ToolArgumentsError(["city: missing", "days: no number"]),
    SessionOwnershipError(session_id="s-1"),
    ConfigurationError("no model", evidence=["no key"], remedy="set a key"),
]


def subclasses(root: type[Exception]) -> Iterator[type[Exception]]:
    """All classes below one, at any depth."""
    for child in root.__subclasses__():
        yield child
        yield from subclasses(child)


def test_every_error_of_the_module_is_in_the_tree() -> None:
    """`except ArcError` catches every error class that the module exports."""
    exported = [getattr(errors, name) for name in errors.__all__]

    classes = [cls for cls in exported if issubclass(cls, Exception)]

    assert classes
    assert all(issubclass(cls, ArcError) for cls in classes)


def test_the_drawn_tree_is_the_real_one() -> None:
    """The tree in the module's docstring names every class, each below its parent."""
    assert errors.__doc__ is not None
    rows = [line for line in errors.__doc__.splitlines() if "── " in line]
    drawn: dict[str, str] = {}
    path = ["ArcError"]
    for row in rows:
        depth = row.index("── ") // 4 + 1
        path[depth:] = [row.split("── ")[1].split()[0]]
        drawn[path[-1]] = path[-2]

    real = {
        cls.__name__: cls.__bases__[0].__name__
        for cls in subclasses(ArcError)
        if cls.__name__ in errors.__all__
    }
    assert drawn == real


def test_the_drawn_tree_tells_what_is_retried() -> None:
    """The docstring marks exactly the model errors that are retried."""
    assert errors.__doc__ is not None

    marked = {
        line.split("── ")[1].split()[0]
        for line in errors.__doc__.splitlines()
        if line.endswith(" retried")
    }

    retried = {
        cls.__name__
        for cls in subclasses(ModelError)
        if issubclass(cls, ModelError) and cls.__module__ == errors.__name__ and cls.retryable
    }
    assert marked == retried


@pytest.mark.parametrize(
    ("error", "code", "retryable"),
    [
        (RateLimitError(), AgentErrorCode.RATE_LIMITED, True),
        (QuotaExceededError(), AgentErrorCode.RATE_LIMITED, False),
        (ModelUnavailableError(), AgentErrorCode.UNAVAILABLE, True),
        (IncompleteStreamError(), AgentErrorCode.UNAVAILABLE, True),
        (ModelError(), AgentErrorCode.UNKNOWN, False),
    ],
)
def test_code_and_retrying_follow_from_the_type(
    error: ModelError, code: AgentErrorCode, *, retryable: bool
) -> None:
    """The engine decides by class: the text of an error has no say."""
    assert (error.code, error.retryable) == (code, retryable)


@pytest.mark.parametrize("error", EXAMPLES, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("passed_on", [copy.copy, lambda e: pickle.loads(pickle.dumps(e))])
def test_errors_survive_copying_and_pickling(error: ArcError, passed_on: object) -> None:
    """An error arrives from another process with its text and all its facts."""
    assert callable(passed_on)

    arrived = passed_on(error)

    assert type(arrived) is type(error)
    assert str(arrived) == str(error)
    assert vars(arrived) == vars(error)


def test_a_configuration_error_says_what_to_do() -> None:
    """Description, evidence and remedy all reach the person who reads it."""
    error = ConfigurationError(
        "two caches were found", evidence=["redis 5", "memory"], remedy="name one"
    )

    assert str(error) == "two caches were found\n  - redis 5\n  - memory\nTo fix it: name one"


def test_a_tool_definition_error_names_the_tool() -> None:
    """The function, what is wrong with it and what to write stand in one line."""
    error = ToolDefinitionError(tool="app.weather", problem="no types", remedy="Write them.")

    assert str(error) == "app.weather cannot be a tool: no types. Write them."


def test_argument_problems_stay_apart() -> None:
    """Each field's problem is an item of its own and a part of the text."""
    error = ToolArgumentsError(["city: missing", "days: no number"])

    assert error.problems == ("city: missing", "days: no number")
    assert str(error) == "city: missing; days: no number"


def test_an_ownership_error_names_the_session() -> None:
    """The refused session and the remedy are in the text."""
    assert str(SessionOwnershipError(session_id="s-1")) == (
        "session 's-1' belongs to another user; use a session id of your own"
    )
