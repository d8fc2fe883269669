"""What settings add to bodies, and which key is sent."""

from typing import Any

import pytest

from arc_core import ChatRequest, ConfigurationError, UserMessage
from arc_core.settings import LlmSettings
from arc_core.testing.vendor_server import Reply, VendorServer
from tests.arc_core.wire.http_chat_model.acme import KEY_VARIABLE, AcmeChatModel

QUESTION = ChatRequest(messages=(UserMessage("Hi"),))
ANSWER = Reply.json({"text": "Hello"})


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY_VARIABLE, "sk-acme")


async def sent(**llm: Any) -> tuple[dict[str, Any], str]:
    """The body of a request, and the key that came with it."""
    async with VendorServer(ANSWER) as server:
        model = AcmeChatModel(settings=LlmSettings(base_url=server.url, **llm))
        await model.start()
        await model.complete(QUESTION)
        await model.aclose()
    request = server.requests[0]
    return request.json(), request.headers["x-key"]


async def test_options_and_extra_fields_go_into_every_body() -> None:
    """Behind what the plugin writes."""
    body, _ = await sent(options={"seed": 7}, extra_body={"beta": {"deep": True}})

    assert body == {
        "model": "acme-1",
        "question": "Hi",
        "stream": False,
        "seed": 7,
        "beta": {"deep": True},
    }


async def test_the_key_of_the_settings_goes_first() -> None:
    """A model section may have an account of its own."""
    assert (await sent(api_key=" sk-own "))[1] == "sk-own"


async def test_an_empty_key_of_the_settings_is_none() -> None:
    """The vendor's variable counts then."""
    assert (await sent(api_key=" "))[1] == "sk-acme"


async def test_an_unknown_option_is_refused_at_the_start() -> None:
    """With those that the vendor's plugin knows."""
    model = AcmeChatModel(settings=LlmSettings(options={"sed": 7}))

    with pytest.raises(ConfigurationError, match=r"llm\.options has sed, which Acme") as caught:
        await model.start()
    assert caught.value.remedy.startswith("use some of seed, stop, ")


@pytest.mark.parametrize("name", ["model", "seed"])
async def test_what_arc_writes_itself_cannot_be_extra(name: str) -> None:
    """Nothing is overridden in silence; the list is in the remedy."""
    llm = LlmSettings(options={"seed": 7}, extra_body={name: "x"})

    with pytest.raises(ConfigurationError, match=f"llm.extra_body has {name}") as caught:
        await AcmeChatModel(settings=llm).start()
    assert "messages, model, question, seed, stream" in caught.value.remedy


async def test_the_key_of_the_settings_is_not_printed() -> None:
    """Neither by the settings nor by an error of a server that echoes it."""
    llm = LlmSettings(api_key="sk-own")  # type: ignore[arg-type]
    refusal = Reply.json({"error": "bad key sk-own"}, status=401)
    async with VendorServer(refusal) as server:
        model = AcmeChatModel(settings=llm.model_copy(update={"base_url": server.url}))
        health = await model.check_health()
        await model.aclose()

    assert "sk-own" not in repr(llm)
    assert "sk-own" not in f"{health}"
