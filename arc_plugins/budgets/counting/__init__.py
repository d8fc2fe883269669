"""Counts what is spent and reserved, by day and month, in this process or in Redis."""
