"""The page: chat, approvals and the wiring, in a browser."""
