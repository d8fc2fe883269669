"""What the commands print: JSON, tables, runs and log lines."""
