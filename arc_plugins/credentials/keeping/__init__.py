"""Credentials in memory and in databases, and the logins that give them."""
