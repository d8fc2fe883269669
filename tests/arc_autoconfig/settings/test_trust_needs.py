"""Which settings of a folder need trust."""

from collections.abc import Iterator, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Any, Literal, get_args, get_origin

import pytest
from pydantic import BaseModel, Field, SecretStr

from arc_autoconfig.settings import ArcSettings
from arc_autoconfig.settings.inputs.folder import SettingsFolder
from arc_autoconfig.settings.trust_needs import trust_needs
from arc_core.settings import Section
from arc_core.settings.sections import Harmless, NeedsTrust, find_mark
from tests.arc_autoconfig.installed import PackageIndex


class Server(Section):
    """A section that a plugin could bring."""

    url: Annotated[str | None, NeedsTrust("it is called")] = None
    size: int = 1


class Extended(ArcSettings):
    """Settings with sections of a plugin's own."""

    acme: Server = Field(default_factory=Server)
    by_name: dict[str, Server] = Field(default_factory=dict)
    several: tuple[Server, ...] = ()


def text_settings(model: type[BaseModel], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """The settings that take any text, a path, a secret or a table, with their marks."""
    for name, field in model.model_fields.items():
        annotation: Any = field.annotation
        is_section = isinstance(annotation, type) and issubclass(annotation, BaseModel)
        below = get_args(annotation)[-1:] if get_origin(annotation) is dict else ()
        mark = find_mark(field, NeedsTrust) or find_mark(field, Harmless)
        if mark is None and any(isinstance(e, type) and issubclass(e, BaseModel) for e in below):
            yield from text_settings(below[0], f"{prefix}{name}.*.")
        elif is_section and find_mark(field, Harmless) is None:
            yield from text_settings(annotation, f"{prefix}{name}.")
        elif any(part in {str, SecretStr, Path} or is_text(part) for part in parts(annotation)):
            yield f"{prefix}{name}", mark


def parts(annotation: Any) -> Iterator[Any]:
    """An annotation, and everything that it is made of."""
    yield annotation
    for each in get_args(annotation):
        yield from parts(each)


def is_text(part: Any) -> bool:
    """Whether values are free text of some kind, or sections that may hold some."""
    is_enum = hasattr(part, "__members__")
    return isinstance(part, type) and issubclass(part, str | Path | BaseModel) and not is_enum


def test_every_setting_that_takes_text_is_marked() -> None:
    """A new setting of Arc's own is decided about when it is made."""
    marks = dict(text_settings(ArcSettings.complete()))

    assert {key for key, mark in marks.items() if mark is None} == set()
    assert isinstance(marks["llm.model"], Harmless)
    assert isinstance(marks["webhook.url"], NeedsTrust)
    assert isinstance(marks["llm.models.*.base_url"], NeedsTrust)


def needs(settings: type[ArcSettings] = ArcSettings) -> Mapping[str, str]:
    """What is shown of each key that needs trust."""
    found = trust_needs(settings.complete(), SettingsFolder.read(Path.cwd()))
    return {need.key: need.shown for need in found}


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ('acme = { url = "http://x/", size = 2 }', "acme.url"),
        ('[by_name.one]\nurl = "http://x/"\n', "by_name.one.url"),
        ('[[several]]\nurl = "http://x/"\n', "several.0.url"),
    ],
)
def test_sections_of_plugins_mark_their_own(*, text: str, key: str) -> None:
    """Wherever they are: on their own, in a table by name, in a list."""
    Path("arc.toml").write_text(text)

    assert needs(Extended) == {key: "http://x"}


@pytest.mark.parametrize(
    "line",
    [
        'ARC_MCP__SERVERS={"x": {"command": "evil"}}',
        'ARC_MCP={"servers": {"x": {"command": "evil"}}}',
        'arc_mcp__servers__x={"command": "evil"}',
        "export ARC_MCP__SERVERS__x__command=evil",
    ],
)
def test_however_it_is_written_in_env(line: str) -> None:
    """JSON on any level, small letters, `export`."""
    Path(".env").write_text(f"{line}\n")

    assert needs() == {"mcp.servers.x.command": "evil"}


def test_tables_of_plugins_need_trust_as_a_whole() -> None:
    """What is in them is not known before the plugin is imported."""
    Path("arc.toml").write_text('[plugins.settings.acme]\nendpoint = "http://x/"\n')

    assert list(needs()) == ["plugins.settings.acme.endpoint"]


class Unmarked(Section):
    """A section whose author has not thought of trust."""

    size: int = 1
    is_on: bool = False
    kind: Literal["a", "b"] = "a"
    pause: timedelta | None = None
    place: str = ""
    paths: dict[str, Path] = Field(default_factory=dict)
    title: Annotated[str, Harmless("it is only shown")] = ""


class Forgetful(ArcSettings):
    """Settings with such a section."""

    acme: Unmarked = Field(default_factory=Unmarked)


def test_a_text_without_a_mark_needs_trust() -> None:
    """Numbers, switches and choices do not, and neither does what is marked as harmless."""
    Path("arc.toml").write_text(
        '[acme]\nsize = 2\nis-on = true\nkind = "b"\npause = 3\nplace = "x"\ntitle = "x"\n'
        'paths = { one = "/" }\n'
    )

    assert list(needs(Forgetful)) == ["acme.place", "acme.paths.one"]


def test_settings_of_a_plugin_that_is_not_loaded_need_trust(packages: PackageIndex) -> None:
    """Nothing is known of them."""
    packages.install(
        "acme-arc", arc__settings={"acme": "nowhere:Acme", "cache.acme": "nowhere:Acme"}
    )
    Path("arc.toml").write_text('[acme]\nurl = "x"\n[cache]\nfolder = "x"\nenabled = true\n')

    assert list(needs()) == ["acme.url", "cache.folder"]


def test_what_is_left_empty_needs_no_trust() -> None:
    """It has no effect."""
    Path("arc.toml").write_text("[plugins]\nload = []\n[mcp.servers]\n")

    assert needs() == {}


def test_the_tables_of_agents_say_themselves_what_needs_trust(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bounds beside them need none."""
    (tmp_path / "arc.toml").write_text(
        '[agents]\nmax_depth = 2\n[agents.x]\nmodel = "m"\noutput = "my_app:Refund"\n'
    )
    monkeypatch.chdir(tmp_path)

    assert list(needs()) == ["agents.x.output"]
