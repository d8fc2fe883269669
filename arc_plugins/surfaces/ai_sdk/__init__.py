"""The UI message stream of the AI SDK, for `useChat`: `/ai-sdk`, and `/ai-sdk/{agent}`."""
