"""Answers: strict readers of JSON and YAML, and the check against what the command asked for."""
