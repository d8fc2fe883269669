"""The response filters that come with Arc."""
