"""OpenAI, and every server that speaks one of its APIs."""
