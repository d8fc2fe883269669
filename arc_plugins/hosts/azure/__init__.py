"""Models of OpenAI and Anthropic at Azure."""
