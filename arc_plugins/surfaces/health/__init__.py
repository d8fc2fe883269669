"""Whether the application lives, and whether it is ready: `/health/live`, `/health/ready`."""
