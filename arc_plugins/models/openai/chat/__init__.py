"""OpenAI's Chat Completions API, and what its imitators make of it."""
