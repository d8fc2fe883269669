"""Finds plugins, decides what is wired, builds the application and explains it."""
