"""Settings of durable runs."""
