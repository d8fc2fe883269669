"""Keeps answers in Redis, for several processes."""
