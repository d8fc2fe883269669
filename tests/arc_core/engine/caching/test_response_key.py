"""The key of a kept answer: anything that can change the answer changes the key."""

import string
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from arc_core import (
    AssistantMessage,
    Attachment,
    ChatRequest,
    Message,
    Reasoning,
    ReasoningEffort,
    ResponseFormat,
    SystemMessage,
    Text,
    Tool,
    ToolCall,
    ToolContext,
    ToolOutcome,
    ToolResult,
    ToolResultMessage,
    UserMessage,
)
from arc_core.engine.caching.response_key import response_key


class City(BaseModel):
    name: str


class Town(BaseModel):
    size: int


class Described(Tool):
    """A tool that is only offered."""

    timeout_s: float | None = None

    def __init__(
        self, name: str, description: str = "", parameters: Mapping[str, Any] | None = None
    ) -> None:
        self.name, self.description, self.parameters = name, description, parameters or {}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Described) and vars(self) == vars(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Described{vars(self)}"

    async def call(self, arguments: Mapping[str, Any], context: ToolContext) -> object:
        """Nothing is called here."""
        raise AssertionError


# Few letters, and those that separate things, so that texts meet each other often.
WORDS = st.text(alphabet='ab",|:[]{}\\\n\u0000é\ud800', max_size=4)
CALLS = st.lists(st.builds(ToolCall, WORDS, WORDS, WORDS), max_size=2).map(tuple)
RESULTS = st.builds(ToolResult, WORDS, WORDS, WORDS, st.sampled_from(ToolOutcome))
MESSAGES: st.SearchStrategy[Message] = st.one_of(
    st.builds(SystemMessage, WORDS),
    st.builds(UserMessage, WORDS),
    st.builds(
        AssistantMessage,
        WORDS,
        CALLS,
        st.lists(st.builds(Reasoning, WORDS, st.none() | WORDS), max_size=2).map(tuple),
        st.none() | st.lists(WORDS, max_size=2),
    ),
    st.lists(RESULTS, max_size=2).map(lambda results: ToolResultMessage(tuple(results))),
)
PARAMETERS = st.dictionaries(WORDS, WORDS, max_size=2)
TOOLS = st.lists(
    st.builds(Described, WORDS, WORDS, PARAMETERS), max_size=2, unique_by=lambda tool: tool.name
).map(tuple)
REQUESTS = st.fixed_dictionaries(
    {
        "system_prompt": st.none() | WORDS,
        "messages": st.lists(MESSAGES, max_size=3).map(tuple),
        "tools": TOOLS,
        "model": st.none() | WORDS,
        "temperature": st.none() | st.sampled_from([0.0, 0.1, 1.0]),
        "max_output_tokens": st.none() | st.integers(1, 3),
        "response_format": st.sampled_from(ResponseFormat),
        "response_schema": st.none() | PARAMETERS,
    }
)
RUNS = st.fixed_dictionaries(
    {
        "request": REQUESTS,
        "model": st.tuples(WORDS, st.none() | WORDS),
        "scope": st.lists(WORDS, max_size=3).map(tuple),
        "max_tool_calls": st.integers(1, 2),
    }
)


def key(run: dict[str, Any]) -> str | None:
    """The key of a run."""
    return response_key(**run | {"request": ChatRequest(**run["request"])})


def ingredients(run: dict[str, Any]) -> dict[str, Any]:
    """What of a run can change its answer: tools in any order, a limit only if there are any."""
    tools = sorted(run["request"]["tools"], key=lambda tool: tool.name)
    limit = run["max_tool_calls"] if tools else None
    return run | {"request": run["request"] | {"tools": tools}, "max_tool_calls": limit}


@pytest.mark.slow
@given(RUNS, RUNS)
def test_runs_share_a_key_exactly_if_they_are_the_same(
    one: dict[str, Any], other: dict[str, Any]
) -> None:
    """Two runs have one key if, and only if, all of their ingredients are equal."""
    assert (key(one) == key(other)) == (ingredients(one) == ingredients(other))


@pytest.mark.slow
@given(RUNS, REQUESTS, st.data())
def test_any_other_ingredient_gives_another_key(
    run: dict[str, Any], others: dict[str, Any], data: st.DataObject
) -> None:
    """A run that differs in one part of its request only has a key of its own."""
    part = data.draw(st.sampled_from(sorted(others)))
    changed = run | {"request": run["request"] | {part: others[part]}}

    assert (key(run) == key(changed)) == (ingredients(run) == ingredients(changed))


@pytest.mark.slow
@given(RUNS, st.data())
def test_a_letter_on_the_other_side_gives_another_key(
    run: dict[str, Any], data: st.DataObject
) -> None:
    """No text can be moved from one ingredient to its neighbour without being noticed."""
    text = data.draw(st.text(alphabet=string.printable, min_size=2, max_size=8))
    cut, other_cut = data.draw(
        st.lists(st.integers(0, len(text)), min_size=2, max_size=2, unique=True)
    )

    def divided(place: int) -> dict[str, Any]:
        messages = (UserMessage(text[place:]),)
        request = run["request"] | {"system_prompt": text[:place], "messages": messages}
        return run | {"request": request}

    assert key(divided(cut)) != key(divided(other_cut))


REQUEST = ChatRequest(
    system_prompt="Be brief.", messages=(UserMessage("Hello"),), temperature=0.0, model="small"
)


def key_of(request: ChatRequest = REQUEST, **changed: Any) -> str | None:
    """The key of a run that is as usual but for what is said."""
    fields: dict[str, Any] = {
        "model": ("m", None),
        "scope": ("user", "", "ann"),
        "max_tool_calls": 10,
    }
    return response_key(request, **(fields | changed))


def test_the_key_is_a_digest() -> None:
    """Caches get 64 hexadecimal digits that tell nothing."""
    made = key_of()

    assert made is not None
    assert len(made) == 64
    assert set(made) <= set("0123456789abcdef")


def test_the_key_is_the_same_everywhere() -> None:
    """Processes share answers, so a change of the key changes its version number, too."""
    assert key_of() == "1574da51690779b9cf38b81570062b25e0b1b27cb2e84f619252bd3c55ebe58f"


@pytest.mark.parametrize(
    "changed",
    [
        {"model": ("other", None)},
        {"model": ("m", "http://127.0.0.1:11434/v1")},
        {"scope": ("user", "", "bob")},
        {"scope": ("user", "acme", "ann")},
        {"scope": ("tenant", "", "ann")},
    ],
)
def test_another_model_or_scope_gives_another_key(changed: dict[str, Any]) -> None:
    """Whose answer it is, and who made it, is part of the key."""
    assert key_of() != key_of(**changed)


def test_the_order_of_tools_makes_no_difference() -> None:
    """Tools are a set: the same ones in another order give the same key."""
    tools = (Described("a"), Described("b"), Described("c"))

    keys = {
        key_of(replace(REQUEST, tools=order))
        for order in (tools, tools[::-1], tools[1:] + tools[:1])
    }

    assert len(keys) == 1


@pytest.mark.parametrize(
    "other",
    [
        Described("b", "Look up.", {"type": "object"}),
        Described("a", "Look it up.", {"type": "object"}),
        Described("a", "Look up.", {"type": "object", "required": []}),
    ],
)
def test_a_tool_of_another_description_gives_another_key(other: Described) -> None:
    """Whatever the model is told of a tool can change its answer."""
    tool = Described("a", "Look up.", {"type": "object"})

    assert key_of(replace(REQUEST, tools=(tool,))) != key_of(replace(REQUEST, tools=(other,)))


def test_the_limit_of_tool_calls_counts_only_with_tools() -> None:
    """Without tools there is nothing to limit."""
    with_tools = replace(REQUEST, tools=(Described("a"),))

    assert key_of(max_tool_calls=1) == key_of(max_tool_calls=2)
    assert key_of(with_tools, max_tool_calls=1) != key_of(with_tools, max_tool_calls=2)


def test_a_demand_for_a_tool_call_gives_another_key() -> None:
    """What the model would do of itself has the key that it always had."""
    keys = {
        key_of(replace(REQUEST, tool_choice=each)) for each in ("required", "a", "auto", "none")
    }

    assert len(keys) == 3
    assert key_of() in keys


def test_classes_are_told_apart_by_their_schema() -> None:
    """A pydantic class and its own JSON Schema ask for the same."""
    city, town, schema = (
        key_of(replace(REQUEST, response_format=ResponseFormat.JSON, response_schema=each))
        for each in (City, Town, City.model_json_schema())
    )

    assert city == schema != town


def test_any_mapping_describes_a_tool() -> None:
    """A tool's parameters need not be a plain dictionary."""
    plain = Described("a", "", {"properties": {"x": {"type": "string"}}})
    proxies = Described(
        "a", "", MappingProxyType({"properties": MappingProxyType({"x": {"type": "string"}})})
    )

    assert key_of(replace(REQUEST, tools=(plain,))) == key_of(replace(REQUEST, tools=(proxies,)))


@pytest.mark.parametrize("opaque", [object(), {1, 2}, float("nan"), {1: "a", "b": 2}])
def test_what_has_no_canonical_form_has_no_key(opaque: object) -> None:
    """A vendor's own content that JSON cannot carry keeps a run from being cached."""
    messages = (AssistantMessage("Hi.", vendor_content=opaque), UserMessage("Hello"))

    assert key_of(replace(REQUEST, messages=messages)) is None


def test_what_was_thought_before_belongs_to_the_key() -> None:
    """It is sent back, and so the answer may depend on it."""

    def with_thought(*reasoning: Reasoning) -> str | None:
        messages = (AssistantMessage("Hi.", reasoning=reasoning), UserMessage("Hello"))
        return key_of(replace(REQUEST, messages=messages))

    keys = [
        with_thought(),
        with_thought(Reasoning("a", "1")),
        with_thought(Reasoning("b", "1")),
        with_thought(Reasoning("a", "2")),
    ]
    assert len(set(keys)) == len(keys)


def test_an_attachment_is_told_by_its_bytes() -> None:
    """Equal ones share a key, others do not, and an address is not bytes."""
    same, again, other = (Attachment("image/png", bytes([n])) for n in (1, 1, 2))
    online = Attachment("image/png", url="https://a.example/cat.png")

    def with_attached(attachment: Attachment) -> str | None:
        message = UserMessage((Text("Hello"), attachment))
        results = ToolResultMessage((ToolResult("1", "f", (attachment,)),))
        return key_of(replace(REQUEST, messages=(message, results)))

    keys = [with_attached(each) for each in (same, other, online)]
    assert len({None, key_of(), *keys}) == 5
    assert with_attached(again) == keys[0]


def test_another_effort_gives_another_key() -> None:
    """A model that thinks longer may answer otherwise."""
    efforts = (None, *ReasoningEffort)

    assert len({key_of(replace(REQUEST, reasoning=each)) for each in efforts}) == len(efforts)
