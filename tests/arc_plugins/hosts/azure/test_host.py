"""Azure: addresses, keys, tokens of Entra ID, and errors."""

import os
from collections.abc import AsyncIterator

import pytest
from pydantic import SecretStr

from arc_core import AuthenticationError, ConfigurationError, Host, HostedRequest, HostFailure
from arc_core.settings import LlmSettings
from arc_core.testing.conformance.models.host import HostConformance
from arc_core.testing.vendor_server import Reply, VendorServer
from arc_plugins.hosts.azure.host import AzureHost

REQUEST = HostedRequest(path="/chat/completions", model="gpt", is_streamed=False, body=b"{}")
RESOURCE = "https://r.openai.azure.com"


@pytest.mark.parametrize(
    ("api", "address", "url"),
    [
        ("chat", RESOURCE, f"{RESOURCE}/openai/v1/chat/completions"),
        ("chat", f"{RESOURCE}/openai/v1/", f"{RESOURCE}/openai/v1/chat/completions"),
        ("chat", "https://r.services.ai.azure.com/models",
         "https://r.services.ai.azure.com/models/chat/completions"),
        ("messages", "https://r.services.ai.azure.com",
         "https://r.services.ai.azure.com/anthropic/chat/completions"),
    ],
)  # fmt: skip
async def test_the_path_of_the_api_may_be_left_out(api: str, address: str, url: str) -> None:
    """With or without `/openai/v1/`; a path of another kind stays."""
    models = AzureHost().open(api, LlmSettings(base_url=address, api_key=SecretStr("k")))

    assert (await models.address(REQUEST)).url == url


async def test_keys_go_before_tokens(monkeypatch: pytest.MonkeyPatch) -> None:
    """The setting's before the variable's, and OpenAI's never."""
    monkeypatch.setenv("OPENAI_API_KEY", "of-openai")
    monkeypatch.setenv("AZURE_OPENAI_API_KEY", "of-azure")
    for own, wanted in ((None, "of-azure"), (SecretStr("own"), "own")):
        models = AzureHost().open("chat", LlmSettings(base_url=RESOURCE, api_key=own))

        assert (await models.address(REQUEST)).headers["api-key"] == wanted


async def test_a_chain_without_credentials_says_what_was_looked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """By azure-identity itself, which has only the environment to look at here."""
    monkeypatch.delenv("AZURE_OPENAI_API_KEY", raising=False)
    monkeypatch.setenv("AZURE_TOKEN_CREDENTIALS", "EnvironmentCredential")
    models = AzureHost().open("chat", LlmSettings(base_url=RESOURCE))

    with pytest.raises(AuthenticationError, match="AZURE_OPENAI_API_KEY, then by azure-identity"):
        await models.address(REQUEST)


def test_there_is_no_address_but_that_of_a_resource() -> None:
    """Each company has its own."""
    with pytest.raises(ConfigurationError, match="no address"):
        AzureHost().open("chat", LlmSettings(api_key=SecretStr("k")))


def test_a_deployment_that_is_not_there_is_no_reason_to_try_again() -> None:
    """It falls back, and says what to do."""
    models = AzureHost().open("chat", LlmSettings(base_url=RESOURCE, api_key=SecretStr("k")))
    payload = {"error": {"code": "DeploymentNotFound", "message": "…"}}

    told = models.explain(HostFailure(status=404, headers={}, payload=payload, body=b""))
    assert told.error_type is AuthenticationError
    assert "name of a deployment" in told.remedy


class TestConformanceWithKey(HostConformance):
    """With the key of a resource."""

    api = "responses"

    def make_host(self) -> Host:
        return AzureHost()

    def make_settings(self) -> LlmSettings:
        return LlmSettings(base_url=RESOURCE, api_key=SecretStr("key-of-the-resource"))


ENTRA = Reply.json({"access_token": "token-of-entra", "expires_on": "4102444800", "resource": "r"})


@pytest.mark.usefixtures("identity")
class TestConformanceWithTokens(HostConformance):
    """With tokens that azure-identity gets from the managed identity of a machine."""

    api = "messages"

    @pytest.fixture
    async def identity(self, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[None]:
        """The server that a machine asks for tokens."""
        monkeypatch.delenv("AZURE_OPENAI_API_KEY", raising=False)
        monkeypatch.setenv("AZURE_TOKEN_CREDENTIALS", "ManagedIdentityCredential")
        monkeypatch.setenv("IDENTITY_HEADER", "secret")
        async with VendorServer(*[ENTRA] * 3) as server:
            monkeypatch.setenv("IDENTITY_ENDPOINT", f"{server.url}/msi/token")
            yield

    def make_host(self) -> Host:
        return AzureHost()

    def make_settings(self) -> LlmSettings:
        return LlmSettings(base_url="https://r.services.ai.azure.com")

    def make_failing_host(self) -> Host:
        os.environ["AZURE_TOKEN_CREDENTIALS"] = "EnvironmentCredential"
        return AzureHost()
