"""Runs: how they are started and held, and the store that keeps them."""
