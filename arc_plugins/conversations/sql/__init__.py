"""Keeps conversations in SQLite or PostgreSQL; needs the extra `sql` or `postgres`."""
