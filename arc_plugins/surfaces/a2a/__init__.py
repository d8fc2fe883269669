"""Agents for programs that speak Agent2Agent."""
