"""Checks values and schemas; the only package that imports jsonschema and re2.

A schema may come from anyone. It is never fetched from elsewhere: what it refers to must be inside
it. Its patterns are matched in linear time, and a check that takes too much work is given up, since
the event loop waits for it.
"""

from arc_core.tools.json_schema_validation.patterns import drop_unmatchable
from arc_core.tools.json_schema_validation.validation import find_flaw, problems

__all__ = ["drop_unmatchable", "find_flaw", "problems"]
