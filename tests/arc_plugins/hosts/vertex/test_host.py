"""Vertex: addresses, tokens by google-auth, and errors."""

import asyncio
import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from arc_core import (
    AuthenticationError,
    ConfigurationError,
    Host,
    HostedRequest,
    HostFailure,
    ModelUnavailableError,
)
from arc_core.settings import LlmSettings
from arc_core.testing.conformance.models.host import HostConformance
from arc_core.testing.vendor_server import Ending, Reply, VendorServer
from arc_plugins.hosts.vertex.host import VertexHost
from tests.arc_plugins.hosts.vertex.accounts import write_account

REQUEST = HostedRequest(path="/v1/messages", model="claude@1", is_streamed=True, body=b"{}")


@pytest.fixture
def account(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The file of a service account, whose server of tokens is not known yet."""
    path = tmp_path / "account.json"
    write_account(path, token_uri="http://127.0.0.1:9/token")
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(path))
    for name in ("GOOGLE_CLOUD_PROJECT", "GCLOUD_PROJECT", "GOOGLE_CLOUD_LOCATION"):
        monkeypatch.delenv(name, raising=False)
    return path


def point_to(account: Path, server: VendorServer) -> None:
    """Have the account ask a server for tokens."""
    write_account(account, token_uri=f"{server.url}/token")


TOKEN = Reply.json({"access_token": "ya29.a", "expires_in": 3600, "token_type": "Bearer"})


async def test_200_requests_at_once_fetch_one_token(account: Path) -> None:
    """By google-auth's own chain; the project is the file's if none is set."""
    async with VendorServer(TOKEN, TOKEN) as server:
        point_to(account, server)
        models = VertexHost().open("messages", LlmSettings(region="europe-west1"))
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(models.address(REQUEST)) for _ in range(200)]

        assert len(server.requests) == 1
    sent = tasks[0].result()
    assert sent.headers["Authorization"] == "Bearer ya29.a"
    assert sent.url == (
        "https://europe-west1-aiplatform.googleapis.com/v1/projects/of-the-file/locations/"
        "europe-west1/publishers/anthropic/models/claude@1:streamRawPredict"
    )


@pytest.mark.parametrize(
    ("region", "address"),
    [
        ("global", "https://aiplatform.googleapis.com"),
        ("eu", "https://aiplatform.eu.rep.googleapis.com"),
        ("us", "https://aiplatform.us.rep.googleapis.com"),
        ("us-east5", "https://us-east5-aiplatform.googleapis.com"),
    ],
)
@pytest.mark.usefixtures("account")
def test_some_regions_have_addresses_of_their_own(region: str, address: str) -> None:
    """Of a country, of a union, and of the world."""
    models = VertexHost().open("gemini", LlmSettings(region=region, project="p"))

    assert models.base_url == address


def test_a_file_that_is_not_there_is_an_error_at_start_up(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """It says which, and in which order it was looked for."""
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(tmp_path / "none.json"))

    with pytest.raises(ConfigurationError, match="no credentials") as found:
        VertexHost().open("messages", LlmSettings(region="us-east5"))
    assert "names a file that is not there" in str(found.value)


@pytest.mark.usefixtures("account")
async def test_a_server_of_tokens_that_is_down_is_unavailable() -> None:
    """It may be there again; the error says what was looked for."""
    models = VertexHost().open("messages", LlmSettings(region="us-east5"))

    with pytest.raises(ModelUnavailableError, match="in this order: GOOGLE_APPLICATION"):
        await models.address(REQUEST)


async def test_a_model_waits_for_the_token_as_long_as_its_own_settings_say(account: Path) -> None:
    """Whatever those of the model say that was opened first."""
    async with VendorServer(Reply.nothing(Ending.STALLED)) as server:
        point_to(account, server)
        host = VertexHost()
        host.open("messages", LlmSettings(region="us-east5", credentials_timeout_s=600))
        other = host.open("gemini", LlmSettings(region="us-east5", credentials_timeout_s=0.2))

        with pytest.raises(ModelUnavailableError, match=r"within 0\.2 s"):
            await other.address(REQUEST)


@pytest.mark.usefixtures("account")
def test_an_api_that_is_switched_off_is_told_from_a_missing_role() -> None:
    """By the reason in the details, in a body that may be a list."""
    models = VertexHost().open("messages", LlmSettings(region="us-east5"))
    error = {"status": "PERMISSION_DENIED", "details": [{"reason": "SERVICE_DISABLED"}]}
    failure = HostFailure(status=403, headers={}, payload=[{"error": error}], body=b"")

    told = models.explain(failure)
    assert told.error_type is AuthenticationError
    assert "enable the Vertex AI API" in told.remedy


@pytest.mark.usefixtures("google")
class TestConformance(HostConformance):
    """With the token of a service account."""

    api = "gemini"

    @pytest.fixture
    async def google(self, account: Path) -> AsyncIterator[None]:
        """Google's server of tokens."""
        async with VendorServer(*[TOKEN] * 3) as server:
            point_to(account, server)
            yield

    def make_host(self) -> Host:
        return VertexHost()

    def make_settings(self) -> LlmSettings:
        return LlmSettings(region="europe-west1")

    def make_failing_host(self) -> Host:
        os.environ["GOOGLE_APPLICATION_CREDENTIALS"] = "/not/there.json"
        return VertexHost()
