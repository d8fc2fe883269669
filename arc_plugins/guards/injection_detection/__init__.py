"""Keeps out prompts that try to take over the agent: scored patterns of words in many languages."""
