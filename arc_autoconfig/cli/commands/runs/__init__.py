"""Subcommands that see to runs which are kept: their decisions, their records, their files."""
