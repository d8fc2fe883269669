"""The lists of a server: tools, resources, their templates, and prompts; bounded.

Tools that cannot be used are not in them.
"""

import asyncio
import hashlib
import json
import threading
from collections.abc import Awaitable, Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from mcp import Client, MCPError
from mcp_types import Prompt, Resource, ResourceTemplate, Tool
from pydantic import ValidationError

from arc_core import Logger
from arc_core.tools.json_schema import drop_unmatchable_patterns, find_flaw

MAX_RESOURCES = 10_000
"""The number of resources of one server that are known; those behind can be read all the same."""

MAX_PROMPTS = 1_000
_MAX_PAGES = 1_000
_MAX_ADDRESS_CHARS = 2_000
_MAX_NAME_CHARS = 200
_MAX_ITEM_CHARS = 500


@dataclass(frozen=True, slots=True)
class ListedResource:
    """A resource, or with braces in its address a template of some, as the server describes it."""

    address: str
    name: str
    description: str


@dataclass(frozen=True, slots=True)
class ListedPrompt:
    """A prompt as the server describes it; those of its arguments are `required` that it needs."""

    name: str
    description: str
    arguments: tuple[str, ...]
    required: frozenset[str]


@dataclass(frozen=True, slots=True)
class Catalogue:
    """All that a server offers beside its tools."""

    resources: tuple[ListedResource, ...] = ()
    templates: tuple[ListedResource, ...] = ()
    prompts: tuple[ListedPrompt, ...] = ()


def make_lists_readable(result: Mapping[str, Any]) -> dict[str, Any]:
    """A result without what no list of resources or prompts may have, so that the rest is kept."""
    readable = dict(result)
    for key, (name, fields) in _LISTS.items():
        if isinstance(items := result.get(key), list):
            readable[key] = [
                _keep_texts(item, fields) | _keep_arguments(item)
                for item in items
                if isinstance(item, dict) and isinstance(item.get(name), str)
            ]
    return readable


_LISTS = {
    "resources": ("uri", ("uri", "name", "description")),
    "resourceTemplates": ("uriTemplate", ("uriTemplate", "name", "description")),
    "prompts": ("name", ("name", "description")),
}


def _keep_texts(item: Mapping[str, Any], fields: tuple[str, ...]) -> dict[str, Any]:
    kept = {field: item[field] for field in fields if isinstance(item.get(field), str)}
    return {"name": "", **kept}


def _keep_arguments(item: Mapping[str, Any]) -> dict[str, Any]:
    arguments = item.get("arguments")
    if not isinstance(arguments, list):
        return {}
    named = [
        each for each in arguments if isinstance(each, dict) and isinstance(each.get("name"), str)
    ]
    return {
        "arguments": [
            {"name": each["name"], "required": each.get("required") is True} for each in named
        ]
    }


async def list_catalogue(client: Client, *, server: str, logger: Logger) -> Catalogue:
    """The resources, templates and prompts of a server; a list that cannot be read is empty."""
    offered = client.server_capabilities
    resources: list[Resource] = []
    templates: list[ResourceTemplate] = []
    prompts: list[Prompt] = []
    log = logger.bind(server=server)
    if offered.resources is not None:
        ask: Callable[..., Awaitable[Any]] = client.list_resources
        resources = await _read_list("resources", ask, most=MAX_RESOURCES, logger=log)
        ask = client.list_resource_templates
        templates = await _read_list("resource_templates", ask, most=MAX_RESOURCES, logger=log)
    if offered.prompts is not None:
        prompts = await _read_list("prompts", client.list_prompts, most=MAX_PROMPTS, logger=log)
    return Catalogue(
        resources=tuple(_describe(each.uri, each) for each in resources if _fits(each.uri)),
        templates=tuple(
            _describe(each.uri_template, each) for each in templates if _fits(each.uri_template)
        ),
        prompts=tuple(map(_describe_prompt, prompts)),
    )


async def _read_list(
    field: str, ask: Callable[..., Awaitable[Any]], *, most: int, logger: Logger
) -> list[Any]:
    """Read the list in a field of pages, up to so many items."""
    found: list[Any] = []
    cursor: str | None = None
    kind = field.replace("_", " ")
    try:
        for _ in range(_MAX_PAGES):
            page = await ask(cursor=cursor, cache_mode="refresh")
            found += getattr(page, field)
            cursor = page.next_cursor
            if not cursor or len(found) > most:
                break
    except (MCPError, ValidationError) as error:
        logger.warning(
            "mcp server has a list that cannot be read; what it names is left out",
            list=kind,
            cause=type(error).__name__,
        )
    if len(found) > most:
        logger.warning(
            "mcp server lists too much; what comes behind is not known", list=kind, count=most
        )
    return found[:most]


def _fits(address: str) -> bool:
    return 0 < len(address) <= _MAX_ADDRESS_CHARS


def _describe(address: str, item: Resource | ResourceTemplate) -> ListedResource:
    description = (item.description or "")[:_MAX_ITEM_CHARS]
    return ListedResource(address, item.name[:_MAX_NAME_CHARS], description)


def _describe_prompt(prompt: Prompt) -> ListedPrompt:
    arguments = prompt.arguments or []
    return ListedPrompt(
        name=prompt.name[:_MAX_NAME_CHARS],
        description=(prompt.description or "")[:_MAX_ITEM_CHARS],
        arguments=tuple(each.name for each in arguments),
        required=frozenset(each.name for each in arguments if each.required),
    )


FLAW = "x-arc-flaw"
"""The keyword that says, in the schema of a tool, why the tool cannot be used."""

_OUTPUT = "x-arc-output-schema"
"""The key of a tool's `_meta` for the schema of its results, which the SDK is not told of: it would
match the server's patterns by backtracking."""

_TASK_SUPPORT = "x-arc-task-support"
"""The key of a tool's `_meta` that is true if its calls may become tasks of 2025-11-25."""

_NAMELESS = "(a tool without a name)"


def make_readable(result: Mapping[str, Any]) -> dict[str, Any]:
    """The result of any request; what is listed is changed so that the SDK takes all of it."""
    readable = make_lists_readable(result)
    if isinstance(tools := result.get("tools"), list):
        readable["tools"] = [_readable(tool) for tool in tools]
    return readable


def _readable(tool: object) -> dict[str, Any]:
    fields = tool if isinstance(tool, dict) else {}
    name, description = fields.get("name"), fields.get("description")
    schema = fields.get("inputSchema")
    if not isinstance(name, str):
        name, schema = _NAMELESS, {FLAW: "it has no name"}
    elif not isinstance(schema, dict) or schema.get("type", "object") != "object":
        schema = {FLAW: "its arguments are not an object"}
    readable = {"name": name, "inputSchema": {"type": "object", **schema}}
    meta: dict[str, Any] = {_TASK_SUPPORT: _supports_tasks(fields.get("execution"))}
    if isinstance(output := fields.get("outputSchema"), dict):
        meta[_OUTPUT] = output
    readable["_meta"] = meta
    return {**readable, "description": description} if isinstance(description, str) else readable


def _supports_tasks(execution: object) -> bool:
    support = execution.get("taskSupport") if isinstance(execution, dict) else None
    return support in {"optional", "required"}


MAX_TOOLS = 1_000
"""The number of tools of one server that are taken; more would never fit a request."""

_MAX_SCHEMA_CHARS = 50_000
_MAX_DESCRIPTION_CHARS = 4_000
LOGGED, LOGGED_NAME_CHARS = 10, 64
"""The number of tools, and the characters of each name, that one line of the log has."""


@dataclass(frozen=True)
class ListedTool:
    """A tool as its server describes it, checked.

    Attributes:
        name: On the server.
        description: For the model, cut.
        parameters: The schema of its arguments.
        output: The schema of its structured results; None if they are not checked.
        supports_tasks: Whether a call may ask for a task, in the protocol of 2025-11-25.
    """

    name: str
    description: str
    parameters: Mapping[str, Any]
    output: Mapping[str, Any] | None = None
    supports_tasks: bool = False

    @cached_property
    def digest(self) -> str:
        """`sha256:` and the hash of all that the model is told of the tool."""
        told = json.dumps([self.name, self.description, self.parameters], sort_keys=True)
        return f"sha256:{hashlib.sha256(told.encode()).hexdigest()}"


@dataclass(frozen=True, slots=True)
class ServerLists:
    """All that a server lists, for all or for one owner.

    Attributes:
        offered: Those of the listed tools that may be offered.
        instructions: Its words on its use, as far as models may be told; mostly none.
    """

    listed: tuple[ListedTool, ...] = ()
    offered: tuple[ListedTool, ...] = ()
    catalogue: Catalogue = field(default_factory=Catalogue)
    instructions: str = ""

    @property
    def names(self) -> list[str]:
        """The names of the tools, on the server."""
        return [tool.name for tool in self.listed]


async def list_tools(
    client: Client, *, server: str, allowed: Container[str] | None, logger: Logger | None
) -> tuple[ListedTool, ...]:
    """The first thousand tools of a server that may be used.

    A tool whose `input_schema` is not a JSON Schema of type `object`, refers to what is not in it,
    or has more than 50 000 characters is left out: with it, vendors would refuse every request.
    Patterns that cannot be matched in linear time are taken out of schemas: the server checks its
    arguments itself.
    """
    found: dict[str, Tool] = {}
    flaws: dict[str, str] = {}
    cursor: str | None = None
    for _ in range(_MAX_PAGES):
        page = await client.list_tools(cursor=cursor, cache_mode="refresh")
        for tool in page.tools:
            if allowed is not None and tool.name not in allowed:
                continue
            if (flaw := _evident_flaw(tool)) is None:
                found.setdefault(tool.name, tool)
            elif len(flaws) < MAX_TOOLS:
                flaws.setdefault(tool.name, flaw)
        cursor = page.next_cursor
        if not cursor or len(found) > MAX_TOOLS:
            break
    listed, unchecked = await _check(list(found.values())[:MAX_TOOLS], flaws)
    if logger is not None:
        _warn(logger, server, flaws=flaws, unchecked=unchecked)
        if len(found) > MAX_TOOLS:
            logger.warning(
                "mcp server has too many tools; name those wanted in its allowed_tools",
                server=server,
            )
    return listed


def _warn(
    logger: Logger, server: str, *, flaws: Mapping[str, str], unchecked: Mapping[str, str]
) -> None:
    if flaws:
        logger.warning(
            "mcp tools without a proper schema are left out", server=server, tools=_tell(flaws)
        )
    if unchecked:
        logger.warning(
            "mcp tools have schemas that cannot be checked, such as patterns with look-around or "
            "back-references; arguments and results are not checked against these",
            server=server,
            tools=_tell(unchecked),
        )


def _tell(reasons: Mapping[str, str]) -> list[str]:
    items = list(reasons.items())[:LOGGED]
    return [f"{name[:LOGGED_NAME_CHARS]}: {reason[:200]}" for name, reason in items]


def _evident_flaw(tool: Tool) -> str | None:
    schema = tool.input_schema
    if isinstance(flaw := schema.get(FLAW), str):
        return flaw
    if len(json.dumps(schema)) > _MAX_SCHEMA_CHARS:
        return f"its schema has more than {_MAX_SCHEMA_CHARS} characters"
    return None


async def _check(
    tools: list[Tool], flaws: dict[str, str]
) -> tuple[tuple[ListedTool, ...], dict[str, str]]:
    """Check schemas in a thread, which ends soon after the last caller has left."""
    abandoned = threading.Event()
    unchecked: dict[str, str] = {}

    def check_each() -> Iterator[ListedTool]:
        for tool in tools:
            if abandoned.is_set():
                return
            listed, patterns = _translate(tool)
            if (flaw := find_flaw(listed.parameters)) is not None:
                flaws[tool.name] = flaw
                continue
            if patterns:
                unchecked[tool.name] = ", ".join(patterns[:LOGGED])
            output, flaw = _translate_output(tool)
            if flaw is not None:
                unchecked.setdefault(tool.name, f"its results: {flaw}")
            yield replace(listed, output=output)

    try:
        return await asyncio.to_thread(lambda: tuple(check_each())), unchecked
    finally:
        abandoned.set()


def _translate_output(tool: Tool) -> tuple[Mapping[str, Any] | None, str | None]:
    """Return the schema of a tool's results and None, or None and why they cannot be checked."""
    schema = (tool.meta or {}).get(_OUTPUT)
    if not isinstance(schema, dict):
        return None, None
    if len(json.dumps(schema)) > _MAX_SCHEMA_CHARS:
        return None, f"their schema has more than {_MAX_SCHEMA_CHARS} characters"
    schema, _ = drop_unmatchable_patterns(schema)
    flaw = find_flaw(schema)
    return (schema, None) if flaw is None else (None, flaw)


def _translate(tool: Tool) -> tuple[ListedTool, Sequence[str]]:
    description = (tool.description or "")[:_MAX_DESCRIPTION_CHARS]
    schema, patterns = drop_unmatchable_patterns(tool.input_schema)
    supports_tasks = (tool.meta or {}).get(_TASK_SUPPORT) is True
    listed = ListedTool(tool.name, description, schema, supports_tasks=supports_tasks)
    return listed, patterns
