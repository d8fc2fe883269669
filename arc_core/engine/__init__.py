"""One run, from command to result: guards, hooks, history, tools, the turn loop."""
