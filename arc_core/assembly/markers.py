"""Markers for a field: the way its deltas become one value.

A field without a marker is replaced. `None`, and a field a delta does not have, change nothing;
the first value is taken as it is.

```python
class Message(BaseModel):
    role: str | None = None                                                # replaced
    content: Annotated[str | None, StreamAppend()] = None                  # appended
    tool_calls: Annotated[list[ToolCall] | None, StreamIndexedList()] = None
```

The markers are values and do nothing themselves; `ReflectiveAssembler` reads them, once per class.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamAppend:
    """Text and bytes grow, a list gets the delta's items at its end, an object is merged by field.

    Attributes:
        coerce: Makes text of a value that is not text, if a vendor sends something else now and
            then. Without it such a value is an `AssemblyError`. For text only.
        extra: The field may be one that the class does not declare: an extra value of a pydantic
            model with `extra="allow"`, or another key of a `TypedDict`. For rules, and for text.
    """

    coerce: Callable[[Any], str] | None = None
    extra: bool = False


@dataclass(frozen=True, slots=True)
class StreamIndex:
    """The integer that names an item's place in its `StreamIndexedList`; 0 is the first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamIndexedList:
    """A list of objects: items of one index are one item, merged field by field, sorted at build.

    Attributes:
        by: The items' index field; None takes the one marked `StreamIndex`.
        identity: A field whose value, if it is neither None nor empty, names the item more
            surely than the index does: a known one continues its item, an unknown one begins an
            item even if the index is taken. A fragment without one goes by its index, to the item
            that used it last.
        missing: What an item is that has no index, and no identity either: an `AssemblyError`, a
            new item, or a continuation of the item that was begun last.
    """

    by: str | None = None
    identity: str | None = None
    missing: Literal["error", "append", "continue"] = "error"


@dataclass(frozen=True, slots=True)
class StreamMerge:
    """Any rule at all.

    Attributes:
        function: `function(accumulated, delta) -> accumulated`, neither of them None. The first
            value does not pass through it. It may change `accumulated` in place: values are
            copied (`copy.deepcopy`) when they enter and when they are handed out.
        extra: The field may be one that the class does not declare, as in `StreamAppend`.
    """

    function: Callable[[Any, Any], Any]
    extra: bool = field(default=False, kw_only=True)


Marker = StreamAppend | StreamIndex | StreamIndexedList | StreamMerge
"""The marks of a field, in `Annotated[…, StreamAppend()]`."""
