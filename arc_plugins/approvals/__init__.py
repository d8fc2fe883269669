"""Policies that have tool calls wait for a person."""
