"""The retrievers that come with Arc."""
