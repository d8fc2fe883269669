"""Managers of conversations: they load the last turns, or these and a summary."""
