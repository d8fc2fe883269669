"""Talking to a model that reads a document for somebody else."""

__all__ = ["WEIGHTS"]

WEIGHTS = {
    "addressed": 0.34,
    "ai 10 processing": 0.22,
    "ai 10 task": 0.22,
    "ai 4 task": 0.31,
    "decode 6 follow": 0.39,
    "task 1 ai": 0.33,
}
