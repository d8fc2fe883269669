"""Subcommands for those who operate an application: databases, budgets, workers, checks."""
