"""Bounds how many prompts a user may send, in one process or across all of them."""
