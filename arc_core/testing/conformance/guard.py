"""What the engine relies on in every `Guard`."""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Mapping
from copy import deepcopy

import pytest

from arc_core.interfaces.guard import Allowed, Guard, GuardRequest, Rejected, RejectionCategory
from arc_core.testing.conformance.hostile_texts import HOSTILE_TEXTS
from arc_core.testing.conformance.lifecycle import started

__all__ = ["GuardConformance"]

_AT_ONCE = 50


@pytest.mark.asyncio
class GuardConformance(ABC):
    """Inherit from it and say how your guard is made."""

    @abstractmethod
    def make_guard(self) -> Guard:
        """A new guard, not started."""

    def make_failing_guard(self) -> Guard | None:
        """A guard that cannot do its work, its server down; None where nothing can fail."""
        return None

    async def test_it_is_a_guard(self) -> None:
        """It has an order and can be asked."""
        guard = self.make_guard()

        assert isinstance(guard, Guard), f"{type(guard).__name__} lacks order or check"
        assert type(guard.order) is int, "order is a whole number"

    @pytest.mark.parametrize("text", HOSTILE_TEXTS.values(), ids=HOSTILE_TEXTS)
    async def test_it_decides_on_any_text(self, text: str) -> None:
        """Every text is let in or kept out, with a reason and a category; none makes it raise."""
        async with started(self.make_guard()) as guard:
            result: object = await guard.check(_request(text))

        assert isinstance(result, Allowed | Rejected), f"check returned {result!r}"
        if isinstance(result, Rejected):
            assert result.reason.strip(), "a rejection has a reason for the person who asked"
            assert isinstance(result.category, RejectionCategory)
        else:
            assert result.text is None or isinstance(result.text, str)

    async def test_it_leaves_the_request_alone(self) -> None:
        """The metadata belongs to the command, and other guards see it, too."""
        metadata = {"plan": "free", "tags": ["a"]}
        request = _request("How is the weather?", metadata=deepcopy(metadata))

        async with started(self.make_guard()) as guard:
            await guard.check(request)

        assert request.metadata == metadata, "the guard has changed the request's metadata"

    async def test_it_decides_on_many_prompts_at_once(self) -> None:
        """Runs share their guards: each of many concurrent checks comes to a decision."""
        async with started(self.make_guard()) as guard, asyncio.TaskGroup() as group:
            checks = [
                group.create_task(guard.check(_request("Hello.", user_id=f"user-{number}")))
                for number in range(_AT_ONCE)
            ]

        assert all(isinstance(check.result(), Allowed | Rejected) for check in checks)

    async def test_a_cancelled_check_decides_nothing(self) -> None:
        """A cancellation leaves the guard; it does not become a decision."""
        async with started(self.make_guard()) as guard:
            check = asyncio.ensure_future(guard.check(_request("Hello.")))
            await asyncio.sleep(0)
            was_cancelled = check.cancel()
            await asyncio.wait([check])

        assert check.cancelled() or not was_cancelled, "the guard has swallowed a cancellation"

    async def test_it_fails_closed(self) -> None:
        """A guard that cannot do its work raises or rejects, and lets nothing in."""
        failing = self.make_failing_guard()
        if failing is None:
            pytest.skip("nothing in this guard can fail: make_failing_guard gives None")

        try:
            async with started(failing) as guard:
                result: object = await guard.check(_request("Hello."))
        except Exception:  # noqa: BLE001 -- whatever it raises keeps the prompt out
            return

        assert isinstance(result, Rejected), "the guard lets prompts in that it could not check"


def _request(
    text: str, *, user_id: str = "ann", metadata: Mapping[str, object] | None = None
) -> GuardRequest:
    return GuardRequest(text=text, user_id=user_id, metadata=metadata or {})
