"""The tools that come with Arc: real, safe, and without a key."""
