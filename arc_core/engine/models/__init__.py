"""The chat models a run may ask: their circuits, prices, windows, and the tokens of requests."""
