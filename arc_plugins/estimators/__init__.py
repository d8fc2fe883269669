"""The token estimators that come with Arc."""
