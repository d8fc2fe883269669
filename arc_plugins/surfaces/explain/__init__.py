"""What is wired, and which agents may be asked: `/arc/…`, `/api/agents`."""
