"""The numbers of runs, as metrics have them."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptRunCounts:
    """The numbers of runs that are kept and have not ended.

    Attributes:
        waiting: Those for which people have to decide, in all processes that share the journals.
        queued: Those that no process has taken, in all processes that share the journals.
        running: Those that this process runs.
        taken_over: How many this process has taken over from one that has died, since the counts
            before.
    """

    waiting: int = 0
    queued: int = 0
    running: int = 0
    taken_over: int = 0
