"""Counts tokens with the vocabulary of OpenAI's models."""
