"""What type checkers see of the interfaces: each `type: ignore` is refused if it is not needed."""

import pytest

from arc_core import (
    Allowed,
    CachedResponse,
    Guard,
    GuardRequest,
    GuardResult,
    Hook,
    ResponseCache,
    Tool,
    ToolSource,
)


class MisspeltGuard(Guard):
    async def chek(self, request: GuardRequest) -> GuardResult:
        return Allowed()


class ToolWithoutCall(Tool):
    name = "search"


class ForgetfulCache(ResponseCache):
    """Lacks the methods that return nothing."""

    async def get(self, key: str) -> CachedResponse | None:
        return None


class EmptySource(ToolSource): ...


def test_a_class_that_lacks_a_method_cannot_be_instantiated() -> None:
    """Type checkers say so before the program runs, and Python says so when it does."""
    with pytest.raises(TypeError, match=r"abstract.*check"):
        MisspeltGuard()  # type: ignore[abstract]
    with pytest.raises(TypeError, match=r"abstract.*call"):
        ToolWithoutCall()  # type: ignore[abstract]
    with pytest.raises(TypeError, match=r"abstract.*invalidate"):
        ForgetfulCache()  # type: ignore[abstract]
    with pytest.raises(TypeError, match=r"abstract.*tools"):
        EmptySource()  # type: ignore[abstract]


def test_a_hook_needs_no_method() -> None:
    """A hook overrides what it needs; start-up tells of names that are nearly right."""
    assert Hook().order == 100
