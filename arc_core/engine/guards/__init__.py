"""Guards of prompts, answers and tool results, and the response filters."""
