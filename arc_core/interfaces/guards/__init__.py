"""Interfaces of guards: the checks of what goes to a model and what comes from it."""
