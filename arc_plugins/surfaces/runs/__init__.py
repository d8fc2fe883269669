"""Runs as resources, in Arc's own forms: `/api/runs`, `/api/approvals`, `/api/chat`."""
