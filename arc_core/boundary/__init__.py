"""Calling components that others wrote: one table of policies, and one way to call."""
