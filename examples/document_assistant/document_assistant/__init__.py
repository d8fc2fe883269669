"""Answers from documents: of a folder, of an archive with a login, and of those who ask."""
