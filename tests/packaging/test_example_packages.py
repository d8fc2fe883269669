"""A package declares extension points, and another fills them, both installed for real."""

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.architecture.source import ROOT
from tests.packaging.environment import Environment
from tests.packaging.plugin_packages import install, write_package

pytestmark = [pytest.mark.pip, pytest.mark.slow, pytest.mark.timeout(300)]

PROGRAM = """
import asyncio, json
from acme_speech import SpeechSynthesizer
from acme_speech.silent_synthesizer import SilentSynthesizer
from arc_autoconfig import Application, ArcSettings

async def main():
    app = Application(ArcSettings(llm={{"provider": "offline"}}))
    {override}
    async with app:
        result = await app.execute('read_aloud "10 km"')
        shown = {shown}
    print(json.dumps([result.content, shown]))

asyncio.run(main())
"""


ASKS_FOR_CODENAME = """
from arc_autoconfig import Application

print(Application().run("Is Hypnosis ready?").error_code)
"""


def sources(folder: Path, *names: str) -> list[Path]:
    """The example packages, as they would have been checked out."""
    ignored = shutil.ignore_patterns("build", "*.egg-info", "__pycache__", "node_modules", ".venv")
    return [
        shutil.copytree(ROOT / "examples" / name, folder / name, ignore=ignored) for name in names
    ]


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """An environment where the packages are installed."""
    folder = tmp_path_factory.mktemp("environment")
    environment = Environment.create(folder / "venv")
    packages = map(str, sources(folder, "acme_speech", "ledger_arc", "morse_arc"))
    environment.pip("install", "--no-build-isolation", *packages, cwd=folder)
    return environment


@pytest.fixture
def arc(environment: Environment, tmp_path: Path) -> Callable[..., Any]:
    """What a command says to programs."""

    def ask(*arguments: str) -> Any:
        offline = ("--set", "llm.provider=offline")
        return json.loads(environment.arc(*arguments, "--json", *offline, cwd=tmp_path))

    return ask


def run(environment: Environment, folder: Path, shown: str, override: str = "") -> list[Any]:
    """What a program gets from a run with the tool, and what it sees in the container."""
    program = PROGRAM.format(override=override, shown=shown)
    found: list[Any] = json.loads(environment.python("-c", program, cwd=folder))
    return found


def names(members: list[dict[str, Any]]) -> list[str]:
    """How the report calls candidates, with their packages."""
    return [f"{each['name']} ({each['distribution']} {each['version']})" for each in members]


def test_the_conditions_name_what_both_packages_bring(arc: Callable[..., Any]) -> None:
    """The default voice stepped back, and what wraps Arc's own components is listed."""
    conditions = arc("conditions")

    assert names(conditions["speech"]["winners"]) == ["morse (morse-arc 0.3.0)"]
    assert names(conditions["speech"]["losers"]) == ["silent (acme-speech 2.1.0)"]
    assert "stepped back" in conditions["speech"]["losers"][0]["reason"]
    assert names(conditions["pronunciations"]["winners"]) == ["abbreviations (morse-arc 0.3.0)"]
    assert names(conditions["chat_model"]["wrappers"]) == ["counted_model (morse-arc 0.3.0)"]
    assert names(conditions["guards"]["wrappers"]) == ["counted_guard (morse-arc 0.3.0)"]


def test_the_graph_draws_what_both_packages_bring(environment: Environment, tmp_path: Path) -> None:
    """The tool is built with the voice and the pronunciations."""
    graph = environment.arc("components", "--graph", cwd=tmp_path)

    assert graph.startswith("graph")
    assert all(name in graph for name in ("speech", "morse", "pronunciations", "abbreviations"))


def test_the_components_say_what_each_is_built_with(arc: Callable[..., Any]) -> None:
    """By the names of the other package's places."""
    (tool,) = [each for each in arc("components") if each["name"] == "read_aloud"]

    assert set(tool["needs"]) == {"speech", "pronunciations"}


def test_the_plugins_say_what_they_bring(arc: Callable[..., Any]) -> None:
    """The interfaces, and the components in the groups that these declare."""
    brought = {each["known_as"]: each["brought"] for each in arc("plugins")}

    assert brought["speech"] == ["contribution: pronunciations", "slot: speech"]
    assert brought["acme_speech"] == ["tools: read_aloud", "speech: silent"]
    assert brought["morse"] == ["speech: morse"]
    assert brought["abbreviations"] == ["pronunciations: abbreviations"]
    assert brought["counted_model"] == ["wraps chat_model: counted_model"]


@pytest.mark.parametrize(
    ("setting", "winner"),
    [
        ("components.speech=silent", "silent"),
        ("components.speech=morse", "morse"),
        ("plugins.disabled=morse", "silent"),
        ("plugins.disabled=acme.speech:morse", "silent"),
    ],
)
def test_settings_choose_the_voice(arc: Callable[..., Any], setting: str, winner: str) -> None:
    """By its name, or by leaving out the plugin that brings another."""
    conditions = arc("conditions", "--set", setting)

    assert [each["name"] for each in conditions["speech"]["winners"]] == [winner]


def test_a_run_speaks_and_counts(environment: Environment, tmp_path: Path) -> None:
    """Two requests reach the model, and each guard is asked once."""
    shown = "[app.container.chat_model().requests, [g.checks for g in app.container.guards()]]"
    content, (requests, checks) = run(environment, tmp_path, shown)

    assert "Spoke '10 kilometres'" in content
    assert requests == 2
    assert checks
    assert set(checks) == {1}


@pytest.mark.parametrize(
    "provider", ["app.container.speech", "app.container.of(SpeechSynthesizer)"]
)
def test_the_voice_is_overridden(environment: Environment, tmp_path: Path, provider: str) -> None:
    """By the name of the slot, or by the interface."""
    override = f"{provider}.override(SilentSynthesizer())"
    _, shown = run(environment, tmp_path, f"type({provider}()).__name__", override)

    assert shown == "SilentSynthesizer"


@pytest.fixture
def hoarse(environment: Environment, tmp_path: Path) -> Iterator[Environment]:
    """The environment with another voice, whose module cannot be imported."""
    line = {"acme.speech": {"hoarse": "hoarse_arc:HoarseSynthesizer"}}
    source = "raise OSError('no licence')"
    install(environment, write_package(tmp_path, "hoarse-arc", source=source, entry_points=line))
    yield environment
    environment.pip("uninstall", "--yes", "hoarse-arc", cwd=tmp_path)


def test_a_broken_voice_is_left_out(hoarse: Environment, tmp_path: Path) -> None:
    """Its plugin is quarantined with the cause, and the default voice is used."""
    settings = ("--set", "plugins.disabled=morse", "--set", "llm.provider=offline")

    plugins = json.loads(hoarse.arc("plugins", "--json", *settings, cwd=tmp_path))
    conditions = json.loads(hoarse.arc("conditions", "--json", *settings, cwd=tmp_path))

    (plugin,) = [each for each in plugins if each["name"] == "hoarse"]
    assert (plugin["state"], plugin["distribution"]) == ("quarantined", "hoarse-arc")
    assert "no licence" in plugin["cause"]
    assert names(conditions["speech"]["winners"]) == ["silent (acme-speech 2.1.0)"]


def test_the_packages_own_tests_pass(environment: Environment, tmp_path: Path) -> None:
    """They run against what is installed."""
    for package in sources(tmp_path, "acme_speech", "ledger_arc", "morse_arc"):
        output = environment.python("-m", "pytest", "-q", "-p", "no:cacheprovider", cwd=package)

        assert "passed" in output


def test_the_starter_package_takes_effect(environment: Environment, tmp_path: Path) -> None:
    """Once it is installed its own tests pass; its guard keeps a codename from every model."""
    (package,) = sources(tmp_path, "company_starter")
    environment.pip("install", "--no-build-isolation", str(package), cwd=tmp_path)
    try:
        output = environment.python("-m", "pytest", "-q", "-p", "no:cacheprovider", cwd=package)
        program = (
            "from arc_autoconfig import Application as A; print(A().run('Hypnosis?').error_code)"
        )
        code = environment.python("-c", program, cwd=tmp_path)
    finally:
        environment.pip("uninstall", "--yes", "globex-arc", cwd=tmp_path)

    assert "passed" in output
    assert code.strip() == "GUARD_REJECTED"
