"""The API of OpenAI: Chat Completions, Responses and models, for clients that speak it."""
