"""The one JSON form of commands, messages, parts, events and results.

```python
text = to_json(UserMessage("Hello"))  # {"v":1,"type":"user_message","content":"Hello"}
assert from_json(text, Message) == UserMessage("Hello")
```

Conversations in databases, the audit log and the command line use it. `docs/forms.md` describes it
for programs in other languages, and `table` says which fields each class has.
"""

from arc_core.errors import FormError
from arc_core.forms.text import from_json, to_json

__all__ = ["FormError", "from_json", "to_json"]
