"""Prices of vendors' models, for those that have none in the settings."""
