"""Texts: words, names and secrets in them, and one spelling for what can be read in two ways."""
