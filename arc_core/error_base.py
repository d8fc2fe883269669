"""The root of the error tree, and the errors below the values that other errors speak of."""

from collections.abc import Sequence
from enum import StrEnum


class AgentErrorCode(StrEnum):
    """Why a run failed, for programs; `ErrorMessageResolver` has the text for people."""

    RATE_LIMITED = "RATE_LIMITED"
    TIMEOUT = "TIMEOUT"
    CONTEXT_TOO_LONG = "CONTEXT_TOO_LONG"
    TOOL_ERROR = "TOOL_ERROR"
    GUARD_REJECTED = "GUARD_REJECTED"
    HOOK_REJECTED = "HOOK_REJECTED"
    INVALID_RESPONSE = "INVALID_RESPONSE"
    REFUSED = "REFUSED"
    AUTHENTICATION = "AUTHENTICATION"
    UNAVAILABLE = "UNAVAILABLE"
    OVERLOADED = "OVERLOADED"
    INVALID_INPUT = "INVALID_INPUT"
    LIMIT_REACHED = "LIMIT_REACHED"
    OUTPUT_REJECTED = "OUTPUT_REJECTED"
    CANCELLED = "CANCELLED"
    UNKNOWN = "UNKNOWN"


class ArcError(Exception):
    """Root of the tree; `except ArcError` catches whatever Arc raises on purpose."""

    def __reduce__(self) -> tuple[object, ...]:
        # Exception would call the constructor with `args`, which keyword-only ones do not take.
        return _restore, (type(self), self.args), vars(self)


def _restore(cls: type[ArcError], args: tuple[object, ...]) -> ArcError:
    return cls.__new__(cls, *args)


class SessionOwnershipError(ArcError):
    """A conversation was to be read or written by a user it does not belong to.

    Attributes:
        session_id: The conversation that was neither shown nor changed.
    """

    def __init__(self, *, session_id: str) -> None:
        super().__init__(session_id)
        self.session_id = session_id

    def __str__(self) -> str:
        return f"session {self.session_id!r} belongs to another user; use a session id of your own"


class AmbiguousSessionError(ArcError):
    """A conversation was named by its id alone, and several tenants have one of this id.

    Attributes:
        session_id: The id.
        owners: Whose they are, a `ConversationOwner` each.
    """

    def __init__(self, *, session_id: str, owners: Sequence[object]) -> None:
        super().__init__(session_id)
        self.session_id, self.owners = session_id, tuple(owners)

    def __str__(self) -> str:
        return f"{len(self.owners)} tenants have a session {self.session_id!r}; give its owner"


class ConfigurationError(ArcError):
    """A setting, a plugin or the wiring is wrong, and Arc does not start.

    Attributes:
        description: What is wrong, naming the thing and the place.
        evidence: Facts that show it, a line each; a text alone is one of them.
        remedy: What to do about it.
    """

    def __init__(self, description: str, *, evidence: Sequence[str] = (), remedy: str) -> None:
        super().__init__(description)
        # A text alone is refused elsewhere; here that would hide what the error is about.
        facts = (evidence,) if isinstance(evidence, str) else evidence
        self.description, self.evidence, self.remedy = description, tuple(facts), remedy

    def __str__(self) -> str:
        lines = [self.description, *(f"  - {fact}" for fact in self.evidence)]
        return "\n".join([*lines, f"To fix it: {self.remedy}"])


class CredentialError(ArcError):
    """There is no credential of a person at a service, and a login would not help.

    Attributes:
        service: The name of the service.
        problem: What is wrong, and what to do about it; shows no secrets.
        retryable: Whether it may work a moment later.
    """

    def __init__(self, problem: str, *, service: str, retryable: bool = False) -> None:
        super().__init__(problem)
        self.problem, self.service, self.retryable = problem, service, retryable

    def __str__(self) -> str:
        return f"there is no credential for the service {self.service!r}: {self.problem}"


class ForkError(ArcError):
    """A run cannot be forked.

    Attributes:
        run_id: The run.
        problem: Why not.
        remedy: What to do about it.
    """

    def __init__(self, problem: str, *, run_id: str, remedy: str) -> None:
        super().__init__(problem)
        self.problem, self.run_id, self.remedy = problem, run_id, remedy

    def __str__(self) -> str:
        return f"the run {self.run_id!r} cannot be forked: {self.problem}; {self.remedy}"


class FormError(ArcError):
    """A value has no JSON form, or a text is not the form of the value that was expected.

    Attributes:
        problem: What is wrong; shows names and types, never what people said.
        place: Where in the value or in the text, as in `$.messages[2].content`.
        remedy: What to do about it.
    """

    def __init__(self, problem: str, *, place: str, remedy: str) -> None:
        super().__init__(problem)
        self.problem, self.place, self.remedy = problem, place, remedy

    def __str__(self) -> str:
        return f"{self.place}: {self.problem}; {self.remedy}"
