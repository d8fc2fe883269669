"""Conversations made to fit into the windows of their models."""
