"""The conversations of a user: `/api/conversations`."""
