"""Guards that break the contract of every kind of guard, and the suites that must find them."""

import asyncio
import re
import time
from collections.abc import Callable
from typing import Any, ClassVar

from arc_core import Allowed, GuardResult, Rejected, RejectionCategory
from arc_core.testing.conformance.guards.guard import GuardConformance
from arc_core.testing.conformance.guards.output_guard import OutputGuardConformance
from arc_core.testing.conformance.guards.tool_result_guard import ToolResultGuardConformance
from tests.arc_core.testing.conformance.suites import swallow_cancellation


class QuestionGuard:
    """A good guard, of prompts, answers and tool results: allows questions."""

    order = 100
    window_chars: int | None = None

    async def check(self, request: Any) -> GuardResult:
        await asyncio.sleep(0)
        if request.text.endswith("?"):
            return Allowed()
        return Rejected("Please ask a question.", RejectionCategory.OFF_TOPIC)


class DownGuard(QuestionGuard):
    """Cannot do its work."""

    async def check(self, request: Any) -> GuardResult:
        raise ConnectionError


class TrustingGuard(QuestionGuard):
    """Lets in whatever has a file beside it."""

    async def check(self, request: Any) -> GuardResult:
        return Allowed() if request.attachments else await super().check(request)


class SilentGuard(QuestionGuard):
    """Gives no reason."""

    async def check(self, request: Any) -> GuardResult:
        return Rejected(" ", RejectionCategory.OFF_TOPIC)


class BooleanGuard(QuestionGuard):
    """Answers with a boolean."""

    async def check(self, request: Any) -> Any:
        return True


class NotingGuard(QuestionGuard):
    """Writes into the request."""

    async def check(self, request: Any) -> GuardResult:
        request.metadata["tags"].append("checked")
        return Allowed()


class DeafGuard(QuestionGuard):
    """Takes a cancellation for a decision."""

    async def check(self, request: Any) -> GuardResult:
        await swallow_cancellation()
        return Rejected("Stopped.", RejectionCategory.SYSTEM_ERROR)


class EncodingGuard(QuestionGuard):
    """Breaks on text that is not valid Unicode."""

    async def check(self, request: Any) -> GuardResult:
        request.text.encode()
        return Allowed()


class OpenGuard(QuestionGuard):
    """Allows what it could not check."""

    async def check(self, request: Any) -> GuardResult:
        return Allowed()


class UnorderedGuard:
    """Has no order."""

    window_chars = 0

    async def check(self, request: Any) -> GuardResult:
        return Allowed()


class WordyGuard(QuestionGuard):
    """Has an order that cannot be compared."""

    order: Any = "first"


class KeepingGuard(QuestionGuard):
    """Keeps the request where the next run overwrites it."""

    async def check(self, request: Any) -> GuardResult:
        self.request = request
        await asyncio.sleep(0)
        return await super().check(self.request)


class QuotingGuard(QuestionGuard):
    """Keeps a part of the request, in a slot."""

    __slots__ = ("text",)

    async def check(self, request: Any) -> GuardResult:
        self.text = request.text
        return Allowed()


class BlockingGuard(QuestionGuard):
    """Waits without letting others run."""

    async def check(self, request: Any) -> GuardResult:
        time.sleep(0.11)  # noqa: ASYNC251 -- this is what must be found
        return Allowed()


class MisspeltGuard:
    """Inherits from nothing, so Python does not ask for the method that lacks."""

    order, window_chars = 100, 0

    async def chek(self, request: Any) -> GuardResult:
        return Rejected("No.", RejectionCategory.OFF_TOPIC)


class RareGuard(KeepingGuard):
    """Decides differently on rare texts only."""

    async def check(self, request: Any) -> GuardResult:
        self.text = request.text
        await asyncio.sleep(0)
        if "xyzzy" in self.text:
            return Rejected("No magic.", RejectionCategory.OFF_TOPIC)
        return Allowed()


class RememberingGuard(QuestionGuard):
    """Decides once for each user, whatever comes after."""

    def __init__(self) -> None:
        self._decided: dict[str, GuardResult] = {}

    async def check(self, request: Any) -> GuardResult:
        decided = await super().check(request)
        return self._decided.setdefault(request.user_id, decided)


class SlowGuard(QuestionGuard):
    """Looks for blanks at the end, and tries again from each blank before it."""

    pattern = re.compile(r"\s+$")

    async def check(self, request: Any) -> GuardResult:
        self.pattern.search(request.text)
        return await super().check(request)


class HangingGuard(SlowGuard):
    """Tries all ways to cut a run of letters into runs of letters."""

    pattern = re.compile(r"(a+)+$")


class AddressGuard(SlowGuard):
    """Looks for mail addresses, from each letter of a word."""

    pattern = re.compile(r"\w+@\w+\.\w+")


class HoardingGuard(QuestionGuard):
    """Collects what it was asked, to look at it some day."""

    def __init__(self) -> None:
        self._seen: list[tuple[str, ...]] = []

    async def check(self, request: Any) -> GuardResult:
        self._seen.append((request.text[:20],))
        return await super().check(request)


class BufferingGuard(QuestionGuard):
    """Collects the text of each run until its end, which not every run reaches."""

    buffers: ClassVar[dict[str, str]] = {}

    async def check(self, request: Any) -> GuardResult:
        run_id = getattr(request, "run_id", "") or request.session_id
        self.buffers[run_id] = self.buffers.get(run_id, "") + request.text
        if getattr(request, "is_final", False):
            del self.buffers[run_id]
        return await super().check(request)


class LastOnesGuard(QuestionGuard):
    """A good guard, which knows the last decisions again."""

    def __init__(self) -> None:
        self._known: dict[str, GuardResult] = {}

    async def check(self, request: Any) -> GuardResult:
        if request.text not in self._known:
            self._known[request.text] = await super().check(request)
        while len(self._known) > 100:
            self._known.pop(next(iter(self._known)))
        return self._known[request.text]


class MakesAnyGuard:
    """How the guard of a suite is made."""

    def __init__(self, guard: Callable[[], Any]) -> None:
        self._guard = guard

    def make_guard(self) -> Any:
        """A guard of the kind, or nearly."""
        return self._guard()

    def make_failing_guard(self) -> Any:
        """The same."""
        return self._guard()


class GuardSuite(MakesAnyGuard, GuardConformance):
    """The suite for guards of prompts, applied to one guard."""


class OutputGuardSuite(MakesAnyGuard, OutputGuardConformance):
    """The suite for output guards, applied to one guard."""


class ToolResultGuardSuite(MakesAnyGuard, ToolResultGuardConformance):
    """The suite for guards of tool results, applied to one guard."""
