"""Servers and files in which several plugins keep something: Redis and SQL databases.

Each module needs an extra, and is imported by the plugins that use it.
"""
