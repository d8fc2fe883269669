"""What a run remembers of its conversation: the last turns, or these and a summary."""
