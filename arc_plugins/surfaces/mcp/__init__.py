"""Agents and tools for programs that speak MCP."""
