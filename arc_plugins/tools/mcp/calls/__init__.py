"""The calls of tools: what servers ask during one, its result, and tasks that stand for one."""
