"""Interfaces of models: the chat model, and prices, tokens and cached answers around it."""
