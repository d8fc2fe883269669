"""Suites for guards, and for filters of answers."""
