"""Suites for chat models, and for prices, tokens and cached answers around them."""
