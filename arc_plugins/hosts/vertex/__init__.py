"""Models of Anthropic and Google at Vertex AI."""
