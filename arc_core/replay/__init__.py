"""Replay: recorded runs are run again by the engine, and answers come from the record."""

from arc_core.replay.differences import Difference, ReplayOutcome, ReplayVerdict

__all__ = ["Difference", "ReplayOutcome", "ReplayVerdict"]
