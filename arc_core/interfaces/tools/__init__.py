"""Interfaces of tools: tools, the choice among them, and approval of their calls."""
