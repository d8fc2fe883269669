"""The conversation stores and managers that come with Arc."""
