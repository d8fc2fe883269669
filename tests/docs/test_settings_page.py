"""The page of the settings names every setting."""

from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel, RootModel

from arc_autoconfig import ArcSettings
from tests.architecture.source import ROOT
from tests.docs.pages import names_in_code

PAGE = ROOT / "docs" / "settings.md"


def paths(model: type[BaseModel], prefix: str = "") -> Iterator[str]:
    """The dotted paths of all settings of a model, sections left out."""
    for name, field in model.model_fields.items():
        path = f"{prefix}{name}"
        kind: Any = field.annotation
        is_section = isinstance(kind, type) and issubclass(kind, BaseModel)
        if is_section and not issubclass(kind, RootModel):
            yield from paths(kind, f"{path}.")
        else:
            yield path


def test_every_setting_is_on_the_page() -> None:
    """A setting that exists can be looked up by its path."""
    documented = names_in_code(PAGE.read_text(encoding="utf-8"))

    missing = {
        path
        for path in paths(ArcSettings.complete())
        if not any(name == path or name.startswith(f"{path}.") for name in documented)
    }

    assert missing == set()
