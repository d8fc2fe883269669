"""Tool calls as earlier lives of their run have left them."""

from dataclasses import dataclass

__all__ = ["NEW_CALL", "EarlierCall", "begun_key"]


@dataclass(frozen=True, slots=True, kw_only=True)
class EarlierCall:
    """The record of a call.

    Attributes:
        is_made: Whether it has ended.
        is_judged: Whether it was found out if a person is asked about it.
        times_begun: How often a tool was called that must not be called twice.
    """

    is_made: bool = False
    is_judged: bool = False
    times_begun: int = 0


NEW_CALL = EarlierCall()
"""A call of which nothing is recorded."""


def begun_key(index: int, attempt: int = 1) -> str:
    """The key of the step that notes that a tool is called which must not be called twice.

    Args:
        index: The place of the call among all of the run.
        attempt: 1, and one more each time that a person has had it called again.
    """
    return f"tool/{index}/begun" if attempt == 1 else f"tool/{index}/begun/{attempt}"
