"""Which store and which manager are wired is decided by the settings."""

import pytest

from arc_autoconfig import Application, ArcSettings
from arc_autoconfig.decide import conditions
from arc_autoconfig.installed import get_installed_version
from arc_core import ConfigurationError, ConversationManager, ConversationStore
from arc_plugins.conversations import plugin
from tests.arc_plugins.registrations import RecordingRegistry

IN_FILE = {"url": "sqlite:///talk.db"}


def winners(**conversation: object) -> tuple[str, str]:
    """The names of the store and of the manager."""
    report = Application(ArcSettings(conversation=conversation), plugins=False).report
    store, manager = report.winner(ConversationStore), report.winner(ConversationManager)
    assert store is not None
    assert manager is not None
    return store.name, manager.name


@pytest.mark.parametrize(
    ("conversation", "expected"),
    [
        ({}, ("memory", "window")),
        ({"summarize": True}, ("memory", "summarizing")),
        (IN_FILE, ("sql", "window")),
        ({**IN_FILE, "summarize": True}, ("sql", "summarizing")),
    ],
)
def test_settings_decide(conversation: dict[str, object], expected: tuple[str, str]) -> None:
    """Where conversations are kept, and what is remembered of them, are two questions."""
    pytest.importorskip("sqlalchemy", reason="needs the extra sql")

    assert winners(**conversation) == expected


@pytest.fixture
def without_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """SQLAlchemy is not installed, for all the wiring can see."""

    def find_version(name: str) -> str | None:
        return None if name == "sqlalchemy" else get_installed_version(name)

    monkeypatch.setattr(conditions, "get_installed_version", find_version)


@pytest.mark.usefixtures("without_extra")
async def test_a_missing_extra_stops_the_start() -> None:
    """What people said does not land in memory quietly; report and error say what to install."""
    app = Application(ArcSettings(conversation=IN_FILE), plugins=False)

    assert app.report.winner(ConversationStore) is None
    assert '(pip install "arc-agents[sql]")' in str(app.report)
    with pytest.raises(ConfigurationError, match=r'pip install "arc-agents\[sql\]"'):
        async with app:
            pass


def test_every_place_leads_to_its_component() -> None:
    """Nothing is registered that cannot be imported."""
    pytest.importorskip("sqlalchemy", reason="needs the extra sql")
    registry = RecordingRegistry()

    plugin.arc_register(registry)

    assert {name: each.imported().__name__ for name, each in registry.registrations.items()} == {
        "memory": "InMemoryConversationStore",
        "sql": "SqlConversationStore",
        "window": "WindowConversationManager",
        "summarizing": "SummarizingConversationManager",
    }


def test_a_password_is_not_shown() -> None:
    """Neither by the settings nor by an error about them."""
    settings = ArcSettings(conversation={"url": "postgresql://ann:s3cret@db/talk"})
    with pytest.raises(ConfigurationError, match="is not a database") as caught:
        ArcSettings(conversation={"url": "mysql://ann:s3cret@db/talk"})

    assert "s3cret" not in f"{settings!r} {settings} {caught.value}"
