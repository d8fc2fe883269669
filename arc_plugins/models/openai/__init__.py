"""OpenAI and every server that speaks its Chat Completions API."""
