"""Finds documents by their words, in a file of SQLite's."""
