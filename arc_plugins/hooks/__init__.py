"""The hooks that come with Arc, below order 100."""
