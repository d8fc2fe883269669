"""OpenAI's models are offered where there is a key, by the API that fits the server."""

import subprocess
import sys
from typing import Any

import pytest

from arc_autoconfig import Application, ArcSettings
from arc_autoconfig.decide.decisions import WiringDecision
from arc_core import ChatModel
from arc_plugins.models.openai import OpenAIApi, OpenAISettings

CHAT = "arc_plugins.models.openai.chat.chat_model:OpenAIChatModel"
RESPONSES = "arc_plugins.models.openai.responses.chat_model:OpenAIResponsesChatModel"
AT_HOME: dict[str, Any] = {}
ELSEWHERE = {"base_url": "http://127.0.0.1:11434/v1"}


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)


def decision_for(**llm: Any) -> WiringDecision:
    """Who becomes the chat model."""
    return Application(ArcSettings(_isolated=True, llm=llm)).report.decision(ChatModel)


def chosen_by(**llm: Any) -> tuple[str, str]:
    """The name and the place of the chat model."""
    winner = decision_for(**llm).winner
    assert winner is not None
    return winner.name, str(winner.component)


@pytest.mark.parametrize("provider", [None, "openai"])
@pytest.mark.parametrize(
    ("llm", "place"),
    [
        (AT_HOME, RESPONSES),
        (ELSEWHERE, CHAT),
        ({"api": "chat"}, CHAT),
        ({"api": "responses", **ELSEWHERE}, RESPONSES),
    ],
)
def test_the_api_fits_the_server(provider: str | None, llm: dict[str, Any], place: str) -> None:
    """OpenAI's own address gets Responses, others Chat Completions, unless the setting says it."""
    assert chosen_by(provider=provider, **llm) == ("openai", place)


def test_an_address_in_the_environment_is_another_server(monkeypatch: pytest.MonkeyPatch) -> None:
    """The SDK reads this variable."""
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:11434/v1")

    assert chosen_by() == ("openai", CHAT)


@pytest.mark.parametrize(("llm", "place"), [(AT_HOME, RESPONSES), (ELSEWHERE, CHAT)])
def test_it_is_chosen_by_name_without_a_key(
    monkeypatch: pytest.MonkeyPatch, llm: dict[str, Any], place: str
) -> None:
    """A server on loopback needs none."""
    monkeypatch.delenv("OPENAI_API_KEY")

    assert chosen_by(provider="openai", **llm) == ("openai", place)


def test_responses_can_be_named() -> None:
    """Whatever the server is."""
    assert chosen_by(provider="openai_responses", **ELSEWHERE) == ("openai_responses", RESPONSES)


def test_without_a_key_it_is_not_offered(monkeypatch: pytest.MonkeyPatch) -> None:
    """The variable is OpenAI's own."""
    monkeypatch.delenv("OPENAI_API_KEY")

    assert chosen_by()[0] == "offline"


def test_the_report_tells_which_api_and_why() -> None:
    """Both are called alike, so the condition of the winner is shown."""
    decision = decision_for()

    assert decision.winner is not None
    assert "any of: setting llm.api is 'responses';" in decision.reason_for(decision.winner)


def test_the_setting_has_its_type() -> None:
    """The plugin's own class tells a type checker which values there are."""
    settings = ArcSettings(_isolated=True, llm={"api": "chat", "model": "m"})

    section = settings.section(OpenAISettings)

    assert (section.api, section.model) == (OpenAIApi.CHAT, "m")


def test_registering_imports_no_sdk() -> None:
    """The SDK is imported only once the model is chosen."""
    program = "import sys, arc_plugins.models.openai.plugin; sys.exit('openai' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
