"""The output guards that come with Arc, below order 100."""
