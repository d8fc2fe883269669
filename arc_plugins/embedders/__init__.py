"""The embedders that come with Arc, and older settings of theirs among those of the tools."""

from typing import Annotated

from pydantic import Field

from arc_core import settings as core
from arc_core.settings import AddressText, Harmless, NeedsTrust

__all__ = ["ToolEmbeddingSettings"]


class ToolEmbeddingSettings(core.ToolsSettings):
    """The embedder of `tools.selector = "semantic"`, if `embedder.provider` names none."""

    embedding_model: Annotated[str | None, Harmless("a name that the vendor knows")] = Field(
        default=None, description="deprecated: set `embedder.model`"
    )
    embedding_base_url: Annotated[
        AddressText | None, NeedsTrust("prompts and the vendor's key are sent there")
    ] = Field(default=None, description="deprecated: set `embedder.base_url`")
