"""The tool calls of one turn: arguments, approval, results, and calls of other agents."""
