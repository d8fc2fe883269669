"""A new plugin package: its kinds, its names and its files."""
