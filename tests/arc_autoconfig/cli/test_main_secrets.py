"""No command shows a secret."""

import pytest

from tests.arc_autoconfig.cli.invoking import invoke

SECRET = "hunter2"
VARIABLES = {
    "OPENAI_API_KEY": f"sk-{SECRET}",
    "ARC_LLM__PROVIDER": "openai",
    "ARC_LLM__BASE_URL": f"http://ann:{SECRET}@127.0.0.1:1/v1",
    "ARC_CACHE__ENABLED": "true",
    "ARC_CACHE__BACKEND": "redis",
    "ARC_CACHE__REDIS_URL": f"redis://:{SECRET}@127.0.0.1:1/0",
    "ARC_WEBHOOK__URL": f"http://127.0.0.1:1/{SECRET}",
    "ARC_WEBHOOK__SECRET": SECRET,
}


@pytest.mark.slow
@pytest.mark.parametrize("options", [[], ["--json"], ["--traceback"]], ids=str)
@pytest.mark.parametrize("command", ["conditions", "components", "plugins", "config", "doctor"])
def test_secrets_appear_nowhere(
    command: str, options: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither keys nor passwords in addresses, whether it works or not."""
    for name, value in VARIABLES.items():
        monkeypatch.setenv(name, value)

    result = invoke(command, *options)

    assert result.output.strip()
    assert SECRET not in result.output
