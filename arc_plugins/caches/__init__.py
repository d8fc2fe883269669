"""The response caches that come with Arc."""
