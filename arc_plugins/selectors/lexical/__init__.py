"""Offers the tools whose texts share the most telling words with the prompt."""
