"""Suites for managers and stores of conversations, and for retrievers."""
