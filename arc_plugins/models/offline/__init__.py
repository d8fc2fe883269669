"""A chat model without network, key or language model: for first runs, examples and tests."""
