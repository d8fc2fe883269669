"""Malformed input for what reads bytes of others: `python -m benchmarks.fuzzing TARGET`."""
