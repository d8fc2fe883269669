"""Suites for the choice among tools, and for approval of their calls."""
