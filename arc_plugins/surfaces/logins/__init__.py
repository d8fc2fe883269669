"""Logins of people at services, by their browsers."""
