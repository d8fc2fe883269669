"""Durable runs, kept in SQLite or PostgreSQL."""
