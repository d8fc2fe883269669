"""Bedrock: addresses, signatures, and the credentials of the machine."""

import asyncio
import os
import random
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import yarl
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from pydantic import SecretStr

from arc_core import ConfigurationError, Host, HostedRequest
from arc_core.settings import LlmSettings
from arc_core.testing.conformance.models.host import HostConformance
from arc_core.testing.vendor_server import Reply, VendorServer
from arc_plugins.hosts.bedrock.host import BedrockHost
from tests.arc_plugins.hosts.bedrock.signatures import is_signed

SECRET = "wJalrXUtnFEMI/K7MDENG"


@pytest.fixture(autouse=True)
def machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> pytest.MonkeyPatch:
    """A machine that has nothing of AWS."""
    for name in ("AWS_BEARER_TOKEN_BEDROCK", "AWS_ACCESS_KEY_ID", "AWS_PROFILE", "AWS_REGION",
                 "AWS_DEFAULT_REGION", "AWS_SESSION_TOKEN"):  # fmt: skip
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "credentials"))
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    return monkeypatch


@pytest.fixture
def key(machine: pytest.MonkeyPatch) -> None:
    """Credentials in the environment."""
    machine.setenv("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE")
    machine.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
    machine.setenv("AWS_SESSION_TOKEN", "session/token+=")


def request(model: str = "anthropic.claude-v1:0", body: bytes = b"{}") -> HostedRequest:
    """A request for a stream."""
    return HostedRequest(path="/v1/messages", model=model, is_streamed=True, body=body)


@pytest.mark.parametrize(
    ("region", "api", "address"),
    [
        ("us-east-1", "messages", "https://bedrock-runtime.us-east-1.amazonaws.com"),
        ("cn-north-1", "messages", "https://bedrock-runtime.cn-north-1.amazonaws.com.cn"),
        ("eu-west-1", "chat", "https://bedrock-mantle.eu-west-1.api.aws/openai/v1"),
    ],
)
@pytest.mark.usefixtures("key")
def test_addresses_are_of_the_region(region: str, api: str, address: str) -> None:
    """China has a suffix of its own, and OpenAI's APIs another service."""
    models = BedrockHost().open(api, LlmSettings(host="bedrock", region=region))

    assert models.base_url == address


def sign_again(url: str, headers: Mapping[str, str], body: bytes, region: str) -> str:
    """Botocore's own signature of what has been sent, at the time that it names."""
    signed = {name: headers[name] for name in ("x-amz-date", "x-amz-security-token")}
    request = AWSRequest(method="POST", url=url, data=body, headers=signed)
    request.context["timestamp"] = headers["x-amz-date"]
    auth: Any = SigV4Auth(Credentials("AKIDEXAMPLE", SECRET), "bedrock", region)
    text = auth.string_to_sign(request, auth.canonical_request(request))
    return f"Signature={auth.signature(text, request)}"


@pytest.mark.usefixtures("key")
async def test_1000_random_requests_are_signed_as_botocore_and_a_server_do() -> None:
    """Models with any characters, ARNs among them, and any bodies."""
    random_ = random.Random(31)
    letters = "abzAZ09-._~:/ %+@é$&,;=()*'!?#[]"
    regions = ["us-east-1", "eu-central-1", "ap-northeast-2"]
    at = {each: BedrockHost().open("messages", LlmSettings(region=each)) for each in regions}
    for _ in range(1000):
        region, models = random_.choice(list(at.items()))
        model = "".join(random_.choices(letters, k=random_.randint(1, 40)))
        body = random_.randbytes(random_.randint(0, 200))
        sent = await models.address(request(model, body))
        headers = {name.lower(): value for name, value in sent.headers.items()}
        headers["host"] = urlsplit(sent.url).netloc

        assert yarl.URL(sent.url).raw_path == urlsplit(sent.url).path  # what the client sends
        assert is_signed(urlsplit(sent.url).path, headers, body, secret=SECRET), model
        assert headers["authorization"].endswith(sign_again(sent.url, headers, body, region))
        assert f"/{region}/bedrock/aws4_request" in headers["authorization"]


async def test_a_bearer_token_goes_before_the_chain(machine: pytest.MonkeyPatch, key: None) -> None:
    """The setting goes before the variable."""
    machine.setenv("AWS_BEARER_TOKEN_BEDROCK", "of-the-variable")
    settings = LlmSettings(region="us-east-1")
    of_variable = BedrockHost().open("chat", settings)
    of_setting = BedrockHost().open("chat", LlmSettings(**{**dict(settings), "api_key": "own"}))

    assert (await of_variable.address(request())).headers == {
        "Authorization": "Bearer of-the-variable"
    }
    assert (await of_setting.address(request())).headers == {"Authorization": "Bearer own"}


def test_a_machine_without_credentials_says_what_was_looked_for() -> None:
    """At start-up, in the order in which it is looked for."""
    with pytest.raises(ConfigurationError) as found:
        BedrockHost().open("messages", LlmSettings(region="us-east-1"))

    assert "AWS_BEARER_TOKEN_BEDROCK, AWS_ACCESS_KEY_ID, a web identity" in str(found.value)


@pytest.mark.usefixtures("key")
def test_a_region_must_be_known() -> None:
    """It is in the address."""
    with pytest.raises(ConfigurationError, match="no region"):
        BedrockHost().open("messages", LlmSettings())


@pytest.mark.usefixtures("key")
def test_the_region_of_the_profile_counts(tmp_path: Path) -> None:
    """As for Amazon's own tools."""
    (tmp_path / "config").write_text("[default]\nregion = eu-north-1\n")

    models = BedrockHost().open("messages", LlmSettings())
    assert models.base_url == "https://bedrock-runtime.eu-north-1.amazonaws.com"


async def test_a_container_is_asked_once_by_200_requests(machine: pytest.MonkeyPatch) -> None:
    """By botocore's own chain, outside the event loop."""
    ends = datetime.now(UTC) + timedelta(hours=1)
    reply = Reply.json(
        {
            "AccessKeyId": "ASIA1",
            "SecretAccessKey": SECRET,
            "Token": "t",
            "Expiration": ends.strftime("%Y-%m-%dT%H:%M:%SZ"),
        }
    )
    async with VendorServer(reply, reply) as container:
        machine.setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", f"{container.url}/creds")
        models = BedrockHost().open("messages", LlmSettings(region="us-east-1"))
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(models.address(request())) for _ in range(200)]

        assert all("ASIA1" in task.result().headers["Authorization"] for task in tasks)
        assert len(container.requests) == 1


@pytest.mark.usefixtures("key")
class TestConformanceWithSignatures(HostConformance):
    """Signed with keys of the environment."""

    api = "messages"

    def make_host(self) -> Host:
        return BedrockHost()

    def make_settings(self) -> LlmSettings:
        return LlmSettings(region="us-east-1")

    def make_failing_host(self) -> Host:
        os.environ.pop("AWS_ACCESS_KEY_ID")
        return BedrockHost()


class TestConformanceWithToken(HostConformance):
    """With a bearer token, by the OpenAI-compatible path."""

    api = "chat"

    def make_host(self) -> Host:
        return BedrockHost()

    def make_settings(self) -> LlmSettings:
        return LlmSettings(region="us-east-1", api_key=SecretStr("token-of-bedrock"))
