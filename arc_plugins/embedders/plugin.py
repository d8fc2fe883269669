"""Registers the embedder that `embedder.provider` names.

The semantic tool selector needs one, and had OpenAI's before there was such a setting: without a
provider it still gets that, if there is a key or an address for it.
"""

from arc_core import Embedder, Registry, hookimpl
from arc_core.conditions import on_env, on_setting


@hookimpl
def arc_register(registry: Registry) -> None:
    """Provide the embedders; nothing is sent to a vendor that no setting names."""
    can_be_asked = (
        on_env("OPENAI_API_KEY")
        | on_setting("tools.embedding_base_url")
        | on_setting("llm.base_url")
    )
    unnamed = on_setting("embedder.provider", None)
    for_tools = on_setting("tools.selector", "semantic") & unnamed & can_be_asked
    registry.provide(
        Embedder,
        "arc_plugins.embedders.openai:make_openai_embedder",
        name="openai",
        condition=on_setting("embedder.provider", "openai") | for_tools,
    )
    registry.provide(
        Embedder,
        "arc_plugins.embedders.gemini:GeminiEmbedder",
        name="gemini",
        condition=on_setting("embedder.provider", "gemini"),
    )
