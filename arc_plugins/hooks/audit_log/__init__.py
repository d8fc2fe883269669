"""Writes down every run and every tool call."""
