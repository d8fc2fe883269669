"""Sections of packages that are lists of tables, as `[[jobs]]`."""

import pickle
from pathlib import Path
from typing import Any

import pytest

from arc_autoconfig import Application, ArcSettings
from arc_autoconfig.declare.plugins import PluginState
from arc_autoconfig.errors import SettingsError
from arc_autoconfig.settings.inputs.files import find_lines
from arc_autoconfig.settings.inputs.folder import SettingsFolder
from arc_autoconfig.settings.inventory import MASK, list_settings, settings_schema
from arc_autoconfig.settings.trust_needs import trust_needs
from tests.arc_autoconfig.installed import PackageIndex

_SECTION = """
    from pydantic import SecretStr
    from arc_core.settings import ListSection, Section

    class JobSettings(Section):
        at: str
        max_runs: int = 1
        token: SecretStr | None = None

    class JobsSettings(ListSection[JobSettings]):
        pass

    class NoTables(ListSection[str]):
        pass
"""
_HOOK = """
    from acme_settings import JobsSettings
    from arc_core import Hook

    class Audit(Hook):
        def __init__(self, jobs: JobsSettings) -> None:
            self.jobs = jobs
"""
_FILE = """
[llm]
model = "small"

[[jobs]]
at = "noon"
max-runs = 2

[[jobs]]
at = "${WHEN:-night}"
token = "hunter2"
"""


@pytest.fixture(autouse=True)
def _installed(packages: PackageIndex) -> None:
    packages.install(
        "acme-arc",
        modules={"acme_settings": _SECTION, "acme_hook": _HOOK},
        arc__settings={"jobs": "acme_settings:JobsSettings"},
        arc__hooks={"audit": "acme_hook:Audit"},
    )


def _settings(text: str = _FILE) -> ArcSettings:
    Path("arc.toml").write_text(text, "utf-8")
    return ArcSettings()


def test_a_list_is_set_in_the_file() -> None:
    """Keys may have hyphens and refer to variables; each value has its line, secrets none."""
    settings = _settings()

    rows = {each.key: each for each in list_settings(settings, {})}
    assert [(job.at, job.max_runs) for job in settings.jobs.root] == [("noon", 2), ("night", 1)]
    assert rows["jobs[0].max_runs"].origin == "arc.toml, line 7"
    assert rows["jobs[1].at"].value == "${WHEN:-night}"
    assert rows["jobs[1].token"].value == MASK


def test_a_list_that_is_not_set_is_empty() -> None:
    """It is shown as such, and survives the way to another process."""
    settings = _settings("")

    assert settings.jobs.root == ()
    assert {each.key: each.value for each in list_settings(settings, {})}["jobs"] == []
    assert pickle.loads(pickle.dumps(_settings())).jobs == _settings().jobs


@pytest.mark.parametrize("source", ["variable", "command line", "keyword", "section"])
def test_the_last_source_has_the_whole_list(source: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """As JSON in text; nothing is left of the list in the file."""
    cls = type(_settings().jobs)
    text = '[{"at": "dawn"}]'
    if source == "variable":
        monkeypatch.setenv("ARC_JOBS", text)
    given = {
        "command line": {"_command_line": {"jobs": text}},
        "keyword": {"jobs": [{"at": "dawn"}]},
        "section": {"jobs": cls.model_validate([{"at": "dawn"}])},
    }

    settings = ArcSettings(**given.get(source, {}))  # type: ignore[arg-type]

    assert [job.at for job in settings.jobs.root] == ["dawn"]
    rows = {each.key: each.origin for each in list_settings(settings, {})}
    assert not any("arc.toml" in rows[f"jobs[0].{name}"] for name in ("at", "max_runs"))


@pytest.mark.parametrize(
    ("line", "told", "remedy"),
    [
        ("att = 'x'", "jobs[1].att (arc.toml, line 4) is not a setting", "write jobs[1].at"),
        ("at = 'x'\nmax_runs = 'm'", "jobs[1].max_runs (arc.toml, line 5): Input", "correct"),
        ("max_runs = 1", "jobs[1].at (arc.toml, line 3): Field required", "correct"),
    ],
)
def test_what_is_wrong_in_a_list_is_found(line: str, told: str, remedy: str) -> None:
    """The key with its number, and the line, of the table if the key is missing."""
    with pytest.raises(SettingsError) as caught:
        _settings(f"[[jobs]]\nat = 'noon'\n[[jobs]]\n{line}\n")

    assert told in str(caught.value)
    assert remedy in str(caught.value)


def test_one_entry_is_not_set_by_a_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    """The message has the variable of the whole list."""
    monkeypatch.setenv("ARC_JOBS__0__AT", "noon")

    with pytest.raises(SettingsError, match="write environment variable ARC_JOBS"):
        ArcSettings()


def test_components_get_a_list_by_its_class() -> None:
    """As any other section."""
    _settings()

    app = Application()
    app.build()

    hook: Any = app.container.hooks()[0]
    assert [job.at for job in hook.jobs.root] == ["noon", "night"]


def test_texts_of_a_list_need_trust(tmp_path: Path) -> None:
    """Unless they are marked; numbers do not."""
    settings = _settings()

    needs = {each.key for each in trust_needs(type(settings), SettingsFolder.read(Path.cwd()))}

    assert {"jobs.0.at", "jobs.1.token"} <= needs
    assert "jobs.0.max_runs" not in needs


def test_editors_know_the_tables_of_a_list() -> None:
    """They are told what stands in each, and that nothing else does."""
    schema = settings_schema(type(_settings()))

    assert schema["$defs"]["JobsSettings"]["items"] == {"$ref": "#/$defs/JobSettings"}
    assert schema["$defs"]["JobSettings"]["additionalProperties"] is False


@pytest.mark.parametrize(("key", "cls"), [("llm.jobs", "JobsSettings"), ("words", "NoTables")])
def test_what_cannot_be_a_list_is_left_out(packages: PackageIndex, key: str, cls: str) -> None:
    """A part of another section, and a list of anything but tables."""
    packages.install(
        "bad-arc", modules={"bad_settings": _SECTION}, arc__settings={key: f"bad_settings:{cls}"}
    )

    found = {each.distribution: each for each in Application().report.plugins}

    assert found["bad-arc"].state is PluginState.QUARANTINED
    assert "derive a section of its own" in (found["bad-arc"].cause or "")


def test_a_list_of_a_plugin_that_is_not_wanted_is_left() -> None:
    """It is not read, and not wrong either."""
    settings = _settings(f"{_FILE}\n[plugins]\nautoload = false\n")

    assert isinstance(settings.jobs, list)


def test_lines_are_counted_in_lists_of_tables() -> None:
    """Of each table, of what stands below it, and of what follows."""
    text = "[[a.b]]\nc = 1\n[a.b.d]\ne = 1\n[[a.b]]\nc = 2\n[f]\nc = 3\n"

    lines = find_lines(text)

    assert (lines["a", "b"], lines["a", "b", "0", "c"], lines["a", "b", "0", "d", "e"]) == (1, 2, 4)
    assert (lines["a", "b", "1"], lines["a", "b", "1", "c"], lines["f", "c"]) == (5, 6, 8)
