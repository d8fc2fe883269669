"""The output of commands: JSON, tables, runs and log lines."""
