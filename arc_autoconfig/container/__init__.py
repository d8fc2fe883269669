"""Container: makes, starts and closes what was decided."""
