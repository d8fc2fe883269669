"""The response filter chain that comes with Arc."""
