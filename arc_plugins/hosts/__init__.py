"""Hosts of models: where companies have them."""
