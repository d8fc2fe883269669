"""Keeps runs in this process: they wait for people, and are gone when it ends."""
