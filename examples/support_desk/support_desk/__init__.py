"""A support desk: agents that answer a shop's customers, and refunds that people approve."""
