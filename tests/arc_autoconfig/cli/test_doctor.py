"""`arc doctor`."""

import json

from tests.arc_autoconfig.cli.invoking import invoke
from tests.arc_autoconfig.installed import PackageIndex

_SILENT = """
    from arc_core import AuthenticationError, ChatModel

    class Silent(ChatModel):
        async def complete(self, request):
            raise AuthenticationError("sk-secret is wrong")

        def stream(self, request):
            raise NotImplementedError
"""


def test_people_read_a_table() -> None:
    """What was checked, what was found, what to do; a warning is no failure."""
    result = invoke("doctor")

    assert result.exit_code == 0
    assert "conversation_store: memory" in result.stdout
    assert "set OPENAI_API_KEY" in result.stdout


def test_an_error_has_its_exit_code() -> None:
    """1, and the remedy; the start itself is one of the checks."""
    result = invoke("doctor", "--json", "--provider", "openai")

    assert result.exit_code == 1
    (start,) = json.loads(result.stdout)
    assert (start["subject"], start["status"]) == ("start", "error")
    assert start["remedy"]


def test_a_model_that_does_not_answer_is_an_error(packages: PackageIndex) -> None:
    """It is asked for real; what the vendor says is not repeated."""
    packages.install(
        "acme-arc", modules={"acme": _SILENT}, arc__chat_models={"silent": "acme:Silent"}
    )

    result = invoke("doctor", "--json")

    model = next(each for each in json.loads(result.stdout) if "chat_model" in each["subject"])
    assert (result.exit_code, model["status"]) == (1, "error")
    assert model["summary"] == "silent does not answer: AuthenticationError"
    assert model["remedy"] == "check the vendor's API key"
    assert "sk-secret" not in result.output
