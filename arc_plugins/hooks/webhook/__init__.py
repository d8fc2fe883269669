"""Tells another service of every run that has ended."""
