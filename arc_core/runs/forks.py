"""The steps with which a fork begins: those of another run, up to one of them."""

from collections.abc import Iterable, Sequence
from itertools import takewhile

from arc_core.command import AgentCommand
from arc_core.errors import ForkError
from arc_core.text.names import nearest

_OF_CALL = ("tool", "approve")
_LAST = "finish"


def leave_conversation(command: AgentCommand) -> AgentCommand:
    """Return a command as part of no conversation, to which a fork would add its answer."""
    return command.model_copy(update={"session_id": None})


def choose_steps(keys: Iterable[str], *, after: str, run_id: str) -> Sequence[str]:
    """Return the keys of the steps that are not done again, in the order in which they have ended.

    Calls of one turn go on at the same time: `tool/1` takes over `tool/0` as well, and never
    `tool/2`. A `ForkError` says that the run has no such step of its own, or ends with it.
    """
    ended = [*keys]
    _check(ended, after, run_id)
    place = ended.index(after)
    if (number := _get_call(after)) is None:
        return ended[: place + 1]
    turn = max(index for index, key in enumerate(ended[:place]) if key.startswith("model/"))
    begin, of_turn = ended[: turn + 1], ended[turn + 1 :]
    rest = takewhile(lambda key: not _is_of_next_turn(key), of_turn)
    return [*begin, *(key for key in rest if _is_taken_over(key, after, number))]


def _check(keys: Sequence[str], after: str, run_id: str) -> None:
    own = [key for key in keys if key.count("/") <= 1 and key != _LAST]
    if after in own:
        return
    if after == _LAST:
        problem, remedy = "it has ended there", "name a step before, such as its last model/…"
    elif not own:
        problem, remedy = "it has no step yet", "wait until one has ended"
    else:
        meant = nearest(after, own) or own[-1]
        problem, remedy = f"it has no step {after!r} of its own", f"did you mean {meant!r}?"
    raise ForkError(problem, run_id=run_id, remedy=remedy)


def _is_of_next_turn(key: str) -> bool:
    return key.startswith(("model/", "compact/", "hand_over/")) or key == _LAST


def _is_taken_over(key: str, after: str, number: int) -> bool:
    """Return whether a step of the last turn is of an earlier call, or of this one."""
    found = _get_call(key)
    if found is None or found > number:
        return False
    is_of_last = found == number
    return not (is_of_last and after.startswith("approve/") and key.startswith("tool/"))


def _get_call(key: str) -> int | None:
    """Return the number of the call that a step of a run, or of one below it, belongs to."""
    kind, _, rest = key.partition("/")
    return int(rest.partition("/")[0]) if kind in _OF_CALL else None
