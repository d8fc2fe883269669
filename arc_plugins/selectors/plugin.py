"""Registers the tool selector of `tools.selector`."""

from arc_core import Registry, ToolSelector, hookimpl
from arc_core.conditions import on_setting
from arc_plugins.selectors.settings import ToolSelection

_SELECTORS = {
    ToolSelection.ALL: "arc_plugins.selectors.all_tools:AllToolSelector",
    ToolSelection.KEYWORD: "arc_plugins.selectors.keyword:KeywordToolSelector",
    ToolSelection.LEXICAL: "arc_plugins.selectors.lexical.selector:LexicalToolSelector",
    ToolSelection.SEARCH: "arc_plugins.selectors.lexical.search:SearchToolSelector",
    ToolSelection.SEMANTIC: "arc_plugins.selectors.semantic.selector:make_semantic_selector",
}


@hookimpl
def arc_register(registry: Registry) -> None:
    """One selector per value; the setting decides between them."""
    for selection, place in _SELECTORS.items():
        registry.provide(
            ToolSelector,
            place,
            name=selection.value,
            condition=on_setting("tools.selector", selection),
        )
