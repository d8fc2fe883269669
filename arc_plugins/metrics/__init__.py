"""The metrics that come with Arc."""
