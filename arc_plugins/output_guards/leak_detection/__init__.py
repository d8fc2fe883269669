"""Keeps secrets, personal data, and links that carry data out of what a model says."""
