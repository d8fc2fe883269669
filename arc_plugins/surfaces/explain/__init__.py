"""The wiring, and the agents that may be asked: `/arc/…`, `/api/agents`."""
