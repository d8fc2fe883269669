"""The journals of runs that come with Arc."""
