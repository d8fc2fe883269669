"""Protocols by which applications are reached over HTTP; a folder each."""
