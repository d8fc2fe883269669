"""The catalogues of a server beside its tools: resources, their templates, and prompts; bounded."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from mcp import Client, MCPError
from mcp_types import Prompt, Resource, ResourceTemplate
from pydantic import ValidationError

from arc_core import Logger

MAX_RESOURCES = 10_000
"""The number of resources of one server that are known; those behind can be read all the same."""

MAX_PROMPTS = 1_000
_MAX_PAGES = 1_000
_MAX_ADDRESS_CHARS = 2_000
_MAX_NAME_CHARS = 200
_MAX_DESCRIPTION_CHARS = 500


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
    description = (item.description or "")[:_MAX_DESCRIPTION_CHARS]
    return ListedResource(address, item.name[:_MAX_NAME_CHARS], description)


def _describe_prompt(prompt: Prompt) -> ListedPrompt:
    arguments = prompt.arguments or []
    return ListedPrompt(
        name=prompt.name[:_MAX_NAME_CHARS],
        description=(prompt.description or "")[:_MAX_DESCRIPTION_CHARS],
        arguments=tuple(each.name for each in arguments),
        required=frozenset(each.name for each in arguments if each.required),
    )
