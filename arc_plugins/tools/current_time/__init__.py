"""The tool `current_time`: what the clock shows somewhere."""
