"""The response cache, and identical runs that share one answer."""
