"""Offers the tools whose meaning is nearest to the prompt's."""
