"""Logins at MCP servers: how a server says that it wants one, and where people log in."""
