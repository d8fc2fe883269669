"""Registers the language of `messages.language`."""

from arc_core import ErrorMessageResolver, Registry, hookimpl
from arc_core.conditions import on_setting
from arc_plugins.messages import Language


@hookimpl
def arc_register(registry: Registry) -> None:
    """One resolver per language; the setting decides between them."""
    registry.provide(
        ErrorMessageResolver,
        "arc_plugins.messages.english:EnglishErrorMessageResolver",
        name="english",
        condition=on_setting("messages.language", Language.ENGLISH.value),
    )
    registry.provide(
        ErrorMessageResolver,
        "arc_plugins.messages.korean:KoreanErrorMessageResolver",
        name="korean",
        condition=on_setting("messages.language", Language.KOREAN.value),
    )
