"""The settings of the tool selectors, and the choice among them."""

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from arc_core import settings as core
from arc_core.settings import Harmless


class ToolSelection(StrEnum):
    """By what the tools of a run are chosen."""

    ALL = "all"
    KEYWORD = "keyword"
    LEXICAL = "lexical"
    SEMANTIC = "semantic"
    SEARCH = "search"


class SelectionSettings(core.ToolsSettings):
    """The choice of the tools for the model."""

    selector: ToolSelection = ToolSelection.ALL
    max_selected: int = Field(default=10, ge=1)
    catalogue_tokens: int = Field(default=1_500, ge=0)
    keywords: Annotated[
        dict[str, tuple[str, ...]], Harmless("words that prompts are searched for")
    ] = Field(
        default_factory=dict, description="words that ask for a tool or category, by its name"
    )
