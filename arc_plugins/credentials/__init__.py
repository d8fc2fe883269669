"""Credentials of people at services."""
