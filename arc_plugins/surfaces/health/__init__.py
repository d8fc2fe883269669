"""Liveness and readiness of the application: `/health/live`, `/health/ready`."""
