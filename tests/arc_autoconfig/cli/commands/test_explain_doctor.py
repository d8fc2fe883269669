"""`arc doctor`."""

import json

from tests.arc_autoconfig.cli.invoking import invoke
from tests.arc_autoconfig.installed import PackageIndex

_SILENT = """
    from arc_core import AuthenticationError, ChatModel
    from arc_core.health_checks import check_chat_model

    class Silent(ChatModel):
        async def check_health(self):
            return await check_chat_model(self, name="silent")

        async def complete(self, request):
            raise AuthenticationError("sk-secret is wrong")

        def stream(self, request):
            raise NotImplementedError
"""


_BROKEN = """
    from arc_core import Hook

    class Broken(Hook):
        async def start(self):
            raise OSError("port in use")
"""


def test_people_read_a_table() -> None:
    """What was checked, what was found, what to do; a warning is not a failure."""
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
    assert model["remedy"] == "check llm.api_key, or the vendor's variable for its API key"
    assert "sk-secret" not in result.output


def test_a_fallback_that_does_not_answer_is_a_warning(packages: PackageIndex) -> None:
    """It names the model, and the exit code is 0."""
    packages.install(
        "acme-arc", modules={"acme": _SILENT}, arc__chat_models={"silent": "acme:Silent"}
    )
    entry = ("--set", "llm.fallbacks=quick", "--set", "llm.models.quick.provider=silent")

    result = invoke("doctor", "--json", "--provider", "offline", *entry)

    found = {each["subject"]: each for each in json.loads(result.stdout)}
    quick = found["chat_model: quick"]
    assert (result.exit_code, quick["status"]) == (0, "warning")
    assert quick["remedy"].startswith("in llm.models.quick: check llm.api_key")


def test_a_start_that_fails_is_a_finding(packages: PackageIndex) -> None:
    """The rest cannot be checked; what had started is closed."""
    packages.install("acme-arc", modules={"acme": _BROKEN}, arc__hooks={"broken": "acme:Broken"})

    result = invoke("doctor", "--json")

    (start,) = json.loads(result.stdout)
    assert (result.exit_code, start["subject"], start["status"]) == (1, "start", "error")
    assert "port in use" in start["summary"]


def test_the_start_is_a_finding() -> None:
    """It comes first, with how much was built."""
    start, *others = json.loads(invoke("doctor", "--json").stdout)

    assert (start["subject"], start["status"]) == ("start", "ok")
    assert "components are built and started" in start["summary"]
    assert "chat_model: offline" in {each["subject"] for each in others}
