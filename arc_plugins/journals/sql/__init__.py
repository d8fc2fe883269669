"""Durable runs: kept in SQLite or PostgreSQL, carried by DBOS."""
