"""The checks of a model's answer before it leaves.

The engine asks every output guard in ascending `order` before anything a model has said reaches a
caller, an event, a hook, the history, a log line or a span: text, also before tool calls and in
streams, answers from the cache, reasoning, and the arguments of tool calls as people see them. The
first rejection ends the run with `OUTPUT_REJECTED`. Output guards fail closed: one that raises,
hangs or returns something else rejects.
"""

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from arc_core.components.extension_points import contribution, resembles
from arc_core.interfaces.guards.guard import Guard, GuardResult
from arc_core.interfaces.run_scope import RunPart, RunScope


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputGuardRequest(RunPart):
    """The text that an output guard decides on.

    Attributes:
        text: What is to leave, as the guards before this one have left it. The end of what has left
            already, in a stream or before a tool call, stands before it: 128 characters, or more if
            a window is wider. None of it if all guards look at each piece on its own, and when they
            are asked about all of a turn for the first time.
        is_final: Whether nothing follows: the text is the whole answer, or all of a turn. In a
            stream that goes on, the last `window_chars` characters do not leave yet.
        user_id: Who asks; `anonymous` if the command has no user.
        run_id: A UUID.
        agent: The name of the agent that answers.
        tenant_id: The user's company or team, if any.
        session_id: The conversation, if any.
        metadata: The command's, with what hooks and tools added.
        released_chars: How many characters at the beginning of the text have left already, and can
            no longer be replaced.
        scope: By which `get` finds components; None in tests that need none.
    """

    text: str
    is_final: bool
    user_id: str = "anonymous"
    run_id: str = ""
    agent: str = "default"
    tenant_id: str | None = None
    session_id: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    released_chars: int = 0
    scope: RunScope | None = field(default=None, repr=False, compare=False)


@resembles(Guard)
@contribution("output_guards", group="arc.output_guards", fails_closed=True)
@runtime_checkable
class OutputGuard(Protocol):
    """Decides whether what a model says may leave. Orders below 100 are Arc's own.

    Attributes:
        order: Lower is asked first.
        window_chars: How much a guard must see before text may leave. 0: each piece on its own. A
            number: that many characters at the end are held back until more is known. None: the
            whole answer. Of all guards, the largest holds. A class that overrides `check` says it
            anew: what it inherits was said of another `check`, and counts as None.
    """

    order: int = 100
    window_chars: int | None = None

    @abstractmethod
    async def check(self, request: OutputGuardRequest) -> GuardResult:
        """Let the text leave, as it is or replaced, or reject it; raising rejects, too.

        A replacement must begin with the characters that have left already; one that does not is a
        rejection. What a guard replaces at the end of a text that goes on is held back, and the
        guard is asked again when more is known.
        """
