"""Models of Anthropic, OpenAI and others at Amazon Bedrock."""
