# pyright: strict, reportUnnecessaryTypeIgnoreComment=true
"""What type checkers see of JSON forms. The files of this folder are checked and never run."""

from typing import Any, assert_type

from arc_core import AgentResult, Message, UserMessage
from arc_core.forms import from_json, to_json

text = to_json(UserMessage("hi"))

assert_type(text, str)
assert_type(from_json(text, UserMessage), UserMessage)
assert_type(from_json(text, AgentResult[int]).output, int)
assert_type(from_json(text, Message), Any)

from_json(b"{}", UserMessage)  # type: ignore[call-overload]
