"""Keys for every vendor, and no proxy in between."""

import pytest

from tests.wire.models import KEY


@pytest.fixture(autouse=True)
def _credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GOOGLE_API_KEY", raising=False)
    for vendor in ("OPENAI", "ANTHROPIC", "GEMINI"):
        monkeypatch.setenv(f"{vendor}_API_KEY", KEY)
        monkeypatch.delenv(f"{vendor}_BASE_URL", raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
