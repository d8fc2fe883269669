"""From a function to a tool: the decorator, schemas from signatures, JSON Schema, threads."""

from arc_core.tools.function_tool import FunctionTool, tool

__all__ = ["FunctionTool", "tool"]
