"""The context of a model call: history, documents, attachments, and what fits the window."""
