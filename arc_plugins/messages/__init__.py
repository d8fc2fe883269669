"""Texts about failures for people, in the languages that come with Arc."""
