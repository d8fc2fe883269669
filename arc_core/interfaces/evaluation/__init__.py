"""Interfaces of evaluation: scorers, and what trials are handed."""
