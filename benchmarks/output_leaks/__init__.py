"""Leaks on every way out, at random places and splits: `python -m benchmarks.output_leaks`."""
