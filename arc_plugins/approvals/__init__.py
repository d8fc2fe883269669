"""Who says whether a tool call waits for a person."""
