"""Chat models, a package per vendor."""
