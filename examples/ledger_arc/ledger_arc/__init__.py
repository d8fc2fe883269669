"""Keeps runs in one SQLite file, so that they go on after a restart."""
