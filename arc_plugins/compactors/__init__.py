"""Compactors: what makes room once a request would not fit into the window of its model."""
