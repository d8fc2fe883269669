"""Digests of what models are asked, by which two records tell where their requests differ.

A digest is an HMAC-SHA-256 under the key of a store: equal parts have equal ones there, and what is
behind one cannot be found by trying. Ids and signatures that vendors make are left out, and so is
all that is random or a clock.
"""

import hmac
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain
from types import CodeType
from typing import Any

from arc_core.agents.agent import Agent
from arc_core.components.wiring_record import ComponentRecord, WiringRecord
from arc_core.engine.journal.records import PartKind, RequestPart, RequestParts
from arc_core.forms.json_text import dump
from arc_core.forms.table import find_form
from arc_core.interfaces.models.chat_model import ChatRequest
from arc_core.interfaces.optional import DeclaresPurity
from arc_core.interfaces.tools.tool import Tool
from arc_core.messages import (
    AssistantMessage,
    Message,
    Reasoning,
    SystemMessage,
    ToolResultMessage,
    UserMessage,
)
from arc_core.runs.journal import RecordedPart
from arc_core.tools.json_schema import get_json_schema

_MOST_TOOLS = 4_096
"""The number of tools, and of selections among them, that are remembered at most."""

_Value = tuple[PartKind, object]


def _encode_nothing(_: ChatRequest) -> bytes:
    return b""


class StoreDigests:
    """The digests of one store, and the parts that many runs have."""

    def __init__(self, key: bytes, wiring: WiringRecord) -> None:
        self._key, self._wiring = key, wiring
        self._tools: dict[int, tuple[Tool, RecordedPart]] = {}
        self._offers: dict[tuple[int, ...], RecordedPart] = {}

    def digest(self, text: str) -> str:
        """The digest of a text."""
        return self.digest_bytes(text.encode("utf-8", "surrogatepass"))

    def digest_bytes(self, content: bytes) -> str:
        """The digest of bytes."""
        return hmac.digest(self._key, content, "sha256").hex()

    def make_part(self, value: object) -> RecordedPart:
        """Return a value of JSON as a part."""
        text = _write(value)
        return RecordedPart(self.digest(text), text)

    def make_request_part(self, kind: PartKind, content: Any) -> RecordedPart:
        """Return a part of a request: a text, all tools, all of the history, or a message."""
        match kind:
            case PartKind.TOOLS:
                return self.find_tools(content)
            case PartKind.HISTORY:
                return self.make_part([_list_facts(each) for each in content])
            case PartKind.MESSAGE | PartKind.NOTE:
                return self.make_part(_list_facts(content))
            case _:
                return self.make_part(content)

    @cached_property
    def wiring(self) -> RecordedPart:
        """The components that take part, each with its package, its version and its settings."""
        return self.make_part(self._described)

    @cached_property
    def wiring_digests(self) -> Sequence[str]:
        """The digests of settings and of code in the wiring, in the order of the components."""
        keys = ("settings", "code")
        return [str(each[key]) for key in keys for each in self._described if each.get(key)]

    def digest_beginning(self, digests: Iterable[str]) -> str:
        """The digest of parts together, by their own; empty if one of them is not known."""
        beginning = ""
        for digest in digests:
            if not digest:
                return ""
            beginning = self.digest(beginning + digest)
        return beginning

    def find_tools(self, tools: tuple[Tool, ...]) -> RecordedPart:
        """Return the part of all tools of a request; made once for each selection."""
        offer = tuple(map(id, tools))
        found = self._offers.get(offer)
        if found is None or any(id(tool) not in self._tools for tool in tools):
            if max(len(self._tools) + len(tools), len(self._offers)) > _MOST_TOOLS:
                self._tools.clear()
                self._offers.clear()
            found = self._offers[offer] = self._make_offer(tools)
        return found

    def find_options(self, request: ChatRequest) -> RecordedPart:
        """Return the part of what stands beside the others: the model, how it is asked."""
        schema = request.response_schema
        facts = {
            "model": request.model,
            "temperature": request.temperature,
            "max_output_tokens": request.max_output_tokens,
            "response_format": request.response_format,
            "response_schema": None if schema is None else get_json_schema(schema),
            "reasoning": request.reasoning,
            "tool_choice": request.tool_choice,
        }
        return self.make_part(facts)

    def _make_offer(self, tools: Iterable[Tool]) -> RecordedPart:
        each = [(tool, self._find_tool(tool)) for tool in tools]
        text = _write([
            {"name": tool.name, "package": self.name_package(tool), "digest": part.digest}
            for tool, part in each
        ])  # fmt: skip
        return RecordedPart(self.digest(text), text, tuple(part for _, part in each))

    def _find_tool(self, tool: Tool) -> RecordedPart:
        known = self._tools.get(id(tool))
        if known is None:
            facts = {
                "name": tool.name,
                "package": self.name_package(tool),
                "description": tool.description,
                "parameters": tool.parameters,
            }
            known = self._tools[id(tool)] = tool, self.make_part(facts)
        return known[1]

    def name_package(self, tool: Tool) -> str:
        """Return the package of a tool; for one of a source, such as `mcp:shop`, that source."""
        qualified = str(getattr(tool, "qualified_name", ""))
        return self._packages.get(id(tool)) or qualified.rpartition("/")[0]

    @cached_property
    def _described(self) -> Sequence[Mapping[str, object]]:
        return [self._describe(each) for each in self._components]

    def _describe(self, component: ComponentRecord) -> Mapping[str, object]:
        """Return the facts of a component, of a guard also those of its code, as JSON has them."""
        settings = component.settings
        described: dict[str, object] = {
            "place": component.place,
            "name": component.name,
            "type": component.type,
            "package": component.package,
            "version": component.version,
            "settings": self.digest(settings) if settings else "",
        }
        if component.place.endswith("guards"):
            members = component.members
            is_pure = all(isinstance(each, DeclaresPurity) and each.pure for each in members)
            code = chain.from_iterable(_list_class(type(each)) for each in members)
            described |= {"pure": is_pure, "code": self.digest("\n".join(code))}
        return described

    @cached_property
    def _components(self) -> Sequence[ComponentRecord]:
        return self._wiring.components()

    @cached_property
    def _packages(self) -> Mapping[int, str]:
        packages: dict[int, str] = {}
        for each in self._components:
            for member in each.members:
                own = member.own_tools if isinstance(member, Agent) else ()
                packages |= dict.fromkeys(map(id, (member, *own)), each.package)
        return packages


def _list_class(cls: type) -> Iterable[str]:
    """Return what the methods of a class do, without names of locals, comments and docstrings."""
    for base in cls.__mro__[:-1]:
        for name, member in sorted(vars(base).items()):
            code = getattr(getattr(member, "__wrapped__", member), "__code__", None)
            if isinstance(code, CodeType):
                yield f"{name} {_list_code(code)}"


def _list_code(code: CodeType) -> str:
    is_named = not code.co_name.startswith("<")  # the first constant is the docstring, or None
    constants = code.co_consts[1:] if is_named else code.co_consts
    texts = [_write_constant(each) for each in constants]
    return f"{code.co_code.hex()} {code.co_names} {texts}"


def _write_constant(value: object) -> str:
    if isinstance(value, CodeType):
        return _list_code(value)
    return str(sorted(map(repr, value))) if isinstance(value, frozenset) else repr(value)


class DigestsByStore:
    """The digests of each store that an engine records runs in; usually there is one."""

    def __init__(self, wiring: WiringRecord) -> None:
        self._wiring = wiring
        self._by_key: dict[bytes, StoreDigests] = {}

    def find(self, key: bytes) -> StoreDigests | None:
        """The digests under a key; None without one."""
        if key and key not in self._by_key:
            self._by_key[key] = StoreDigests(key, self._wiring)
        return self._by_key.get(key)


class RequestDigests:
    """The requests of one run, each told from the one before."""

    def __init__(self, store: StoreDigests) -> None:
        self._store = store
        self._head: list[_Value] = []
        self._messages: tuple[Message, ...] = ()
        self._parts: list[RequestPart] = []
        self._beginnings = [""]
        self._options = ""

    @property
    def parts(self) -> Sequence[RequestPart]:
        """The parts of the request that was named last."""
        return self._parts

    def go_on_after(self, request: RequestParts | None) -> None:
        """Take over what an earlier life has recorded of its next request, if it has."""
        if request is None:
            return
        self._head, self._messages = [], ()
        self._set([*self._parts[: request.kept], *request.parts], kept=request.kept)
        self._options = request.options

    def name(
        self,
        request: ChatRequest,
        *,
        history: int,
        encode: Callable[[ChatRequest], bytes] = _encode_nothing,
    ) -> tuple[RequestParts, Sequence[RecordedPart]]:
        """Name the parts of the next request, and return those, too, whose texts stand in no step.

        See `RunRecorder.name_request`.
        """
        new = list[RecordedPart]()
        parts, same = self._list_parts(request, history, new)
        kept = _count_same(self._parts, parts, begin=same)
        self._set(parts, kept=kept)
        options = self._store.find_options(request)
        if options.digest != self._options:
            self._options = options.digest
            new.append(options)
        named = RequestParts(
            kept=kept,
            beginning=self._beginnings[kept],
            parts=tuple(parts[kept:]),
            options=options.digest,
            body=self._digest_body(request, history, kept=kept, encode=encode),
        )
        return named, new

    def _digest_body(
        self,
        request: ChatRequest,
        history: int,
        *,
        kept: int,
        encode: Callable[[ChatRequest], bytes],
    ) -> str:
        """Return the digest of the bytes of what is new: all of a request has been sent before."""
        head = len(self._head)
        if kept < head:
            new = request
        else:
            new = replace(
                request,
                system_prompt=None,
                messages=request.messages[history + kept - head :],
                tools=(),
                tool_choice="none",
            )
        if not new.messages:
            return ""
        messages = _with_own_ids(new.messages)
        sent = encode(replace(new, messages=messages, cache_key=None, stable_messages=0))
        return self._store.digest_bytes(sent) if sent else ""

    def _list_parts(
        self, request: ChatRequest, history: int, new: list[RecordedPart]
    ) -> tuple[list[RequestPart], int]:
        """Return the parts of a request, and how many of them are those of the one before."""
        head, messages = list(_list_head(request, history)), request.messages[history:]
        same = _count_same(self._messages, messages)
        has_same_head = bool(self._head) and head == self._head
        parts = self._parts[: len(head)] if has_same_head else self._name_all(head, new)
        before = len(self._head)
        parts += self._parts[before : before + same]
        parts += self._name_all(list(_list_messages(messages, same)), new)
        self._head, self._messages = head, messages
        return parts, len(head) + same if has_same_head else 0

    def _name_all(self, values: Iterable[_Value], new: list[RecordedPart]) -> list[RequestPart]:
        named = []
        for kind, content in values:
            part = self._store.make_request_part(kind, content)
            if kind in _KEPT:
                new.append(part)
            named.append(RequestPart(kind=kind, digest=part.digest))
        return named

    def _set(self, parts: list[RequestPart], *, kept: int) -> None:
        self._parts = parts
        del self._beginnings[kept + 1 :]
        for part in parts[kept:]:
            self._beginnings.append(self._store.digest(self._beginnings[-1] + part.digest))


_KEPT = frozenset((PartKind.SYSTEM_PROMPT, PartKind.TOOLS, PartKind.NOTE))
"""The kinds whose texts stand in no step, or in one of each run."""


def _list_head(request: ChatRequest, history: int) -> Iterable[_Value]:
    """Return what stands before the question."""
    yield PartKind.SYSTEM_PROMPT, request.system_prompt or ""
    if request.tools:
        yield PartKind.TOOLS, request.tools
    if history:
        yield PartKind.HISTORY, request.messages[:history]


def _list_messages(messages: Sequence[Message], begin: int) -> Iterable[_Value]:
    """Return the question and what stands behind it, from a place on."""
    for place, message in enumerate(messages[begin:], begin):
        is_note = place > 0 and isinstance(message, UserMessage | SystemMessage)
        yield PartKind.NOTE if is_note else PartKind.MESSAGE, message


def _count_same(before: Sequence[Any], now: Sequence[Any], *, begin: int = 0) -> int:
    """Count with how many items of one sequence another one begins, from a number that is known."""
    if before == now[: len(before)]:  # as long as a request only grows
        return len(before)
    most = min(len(before), len(now))
    return next((place for place in range(begin, most) if before[place] != now[place]), most)


def _list_facts(message: Message) -> Mapping[str, object]:
    """Return what a message says, without what a vendor has made up beside that."""
    if isinstance(message, AssistantMessage):
        calls = [[call.name, call.arguments] for call in message.tool_calls]
        thoughts = [each.text for each in message.reasoning]
        return {"assistant": _content_of(message), "calls": calls, "reasoning": thoughts}
    if isinstance(message, ToolResultMessage):
        return {
            "results": [[each.name, each.outcome, _content_of(each)] for each in message.results]
        }
    return {type(message).__name__.removesuffix("Message").lower(): _content_of(message)}


def _content_of(value: Any) -> object:
    if isinstance(value.content, str):
        return value.content
    return find_form(value).write(value)["content"]


def _with_own_ids(messages: Iterable[Message]) -> tuple[Message, ...]:
    """Return messages without what a vendor has made up: ids of calls, signatures, content."""
    changed: list[Message] = []
    for message in messages:
        if isinstance(message, AssistantMessage):
            made = enumerate(message.tool_calls)
            own = [replace(call, id=f"call_{place}") for place, call in made]
            thoughts = tuple(Reasoning(each.text) for each in message.reasoning)
            changed.append(AssistantMessage(message.content, tuple(own), thoughts))
        elif isinstance(message, ToolResultMessage):
            given = enumerate(message.results)
            results = [replace(result, call_id=f"call_{place}") for place, result in given]
            changed.append(ToolResultMessage(tuple(results)))
        else:
            changed.append(message)
    return tuple(changed)


def _write(value: object) -> str:
    """Return a value as JSON; of one that JSON cannot carry only the type."""
    try:
        return dump(value)
    except (TypeError, ValueError, RecursionError):
        return dump({"type": type(value).__name__})
