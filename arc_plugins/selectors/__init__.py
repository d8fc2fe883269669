"""The tool selectors that come with Arc."""
