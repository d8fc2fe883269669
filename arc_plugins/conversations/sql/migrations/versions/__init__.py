"""One file a revision; none of them ever changes once it has been released."""
