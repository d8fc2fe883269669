"""Interfaces of serving: protocols, callers and the application as servers see it."""
