"""Acme's rules for every agent."""
