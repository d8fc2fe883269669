"""Agents: their declaration, the functions they bring, and the tools by which they ask others."""
