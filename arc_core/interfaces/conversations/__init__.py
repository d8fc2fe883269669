"""Interfaces of conversations: stored messages, summaries, and documents found for them."""
