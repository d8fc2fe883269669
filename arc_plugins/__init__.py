"""Arc's own implementations, found through entry points like everybody else's."""
