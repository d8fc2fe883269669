"""The first turn that is read of a session: the same one for a while, or so many back."""

__all__ = ["first_turn"]


def first_turn(turns: int, *, max_turns: int, step: int = 1) -> int:
    """Return the number of a session's turns that stand before those that are read.

    The number is a multiple of `step`, so that it stays the same while the session grows by as many
    turns; between `max_turns - step + 1` and `max_turns` turns are read. If no multiple leaves a
    turn to read, exactly `max_turns` are.

    Args:
        turns: How many the session has.
        max_turns: How many are read at most; below 0 as 0.
        step: At least 1.
    """
    first = max(turns - max(max_turns, 0), 0)
    in_steps = -(-first // step) * step
    return in_steps if in_steps < turns else first
