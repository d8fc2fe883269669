"""Registers the language of `messages.language`."""

from arc_core import ErrorMessageResolver, Registry, hookimpl
from arc_core.conditions import on_setting
from arc_plugins.messages import Language


@hookimpl
def arc_register(registry: Registry) -> None:
    """One resolver per language; the setting decides between them."""
    for name, resolver, language in (
        ("english", "english:EnglishErrorMessageResolver", Language.ENGLISH),
        ("korean", "korean:KoreanErrorMessageResolver", Language.KOREAN),
    ):
        place = f"arc_plugins.messages.{resolver}"
        condition = on_setting("messages.language", language.value)
        registry.provide(ErrorMessageResolver, place, name=name, condition=condition)
