"""Journals of runs, each by itself."""
