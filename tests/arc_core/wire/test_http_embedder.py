"""Embedders over HTTP: batches, retries, what replies must be, and what is measured."""

import asyncio
import gzip
import re
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

from arc_core import (
    AgentErrorCode,
    AuthenticationError,
    ConfigurationError,
    ContextTooLongError,
    EmbeddingUsage,
    InvalidResponseError,
    ModelError,
    ModelOperation,
    ModelTimeoutError,
    ModelUnavailableError,
    QuotaExceededError,
    TokenUsage,
)
from arc_core.interfaces.optional import HealthStatus
from arc_core.settings import LlmSettings
from arc_core.testing.conformance.components import running
from arc_core.testing.fakes import FixedModelPrices, RecordingMetrics
from arc_core.testing.vendor_server import Ending, ReceivedRequest, Reply, VendorServer
from arc_plugins.embedders.openai import OpenAIEmbedder
from tests.arc_plugins.embedders.servers import (
    answer_as_openai,
    in_base64,
    openai_reply,
    options_at,
    vector_of,
)


class Pauses:
    """Remembers how long was slept, and does not sleep."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    async def __call__(self, seconds: float) -> None:
        await asyncio.sleep(0)
        self.seconds.append(seconds)


def embedder_at(url: str, **options: Any) -> OpenAIEmbedder:
    """An embedder with settings and parts."""
    parts = {name: options.pop(name) for name in ("metrics", "prices") if name in options}
    pauses = options.pop("pauses", None) or Pauses()
    known: dict[str, Any] = options_at(url, **options)
    return OpenAIEmbedder(**known, **parts, sleep=pauses)


async def fail(*replies: Reply, **options: Any) -> ModelError:
    """The error of an embedder whose server replies so."""
    async with (
        VendorServer(*replies) as server,
        running(embedder_at(server.url, **options)) as embedder,
    ):
        with pytest.raises(ModelError) as raised:
            await embedder.embed(["a", "b"], kind="document")
    return raised.value


async def test_many_texts_are_sent_in_batches() -> None:
    """Of 128 texts, and of a hundred thousand characters; each text counts by its first 8 000."""
    texts = ["x" * 20_000] * 20 + ["y"] * 150
    async with (
        VendorServer(*[answer_as_openai] * 3) as server,
        running(embedder_at(server.url)) as embedder,
    ):
        vectors = await embedder.embed(texts, kind="document")

    assert [len(each.json()["input"]) for each in server.requests] == [12, 128, 30]
    assert vectors == [vector_of(text[:8_000]) for text in texts]


def bounded(most_texts: int, most_chars: int) -> Callable[[ReceivedRequest], Reply]:
    """A server that refuses what is too long for its model."""

    def answer(request: ReceivedRequest) -> Reply:
        texts = request.json()["input"]
        if len(texts) <= most_texts and max(map(len, texts)) <= most_chars:
            return Reply.json(openai_reply(texts))
        message = "This model's maximum context length is 512 tokens, however you asked for more"
        return Reply.json({"error": {"message": message, "code": None}}, status=400)

    return answer


async def test_what_is_too_long_is_asked_for_by_halves_then_cut() -> None:
    """One text that is too long costs the others of its batch nothing of theirs."""
    texts = ["a", "b" * 1000, "c", "d"]
    async with (
        VendorServer(*[bounded(3, 300)] * 20) as server,
        running(embedder_at(server.url)) as embedder,
    ):
        vectors = await embedder.embed(texts, kind="document")

    assert vectors == [vector_of(each) for each in ("a", "b" * 250, "c", "d")]


async def test_what_is_always_too_long_fails() -> None:
    """Texts are not cut to nothing."""
    async with (
        VendorServer(*[bounded(9, 0)] * 20) as server,
        running(embedder_at(server.url)) as embedder,
    ):
        with pytest.raises(ContextTooLongError):
            await embedder.embed(["x" * 400], kind="query")

    assert [len(each.json()["input"][0]) for each in server.requests] == [400, 200, 100]


BUSY = Reply.json({"error": {"message": "busy"}}, status=503)
LATER = Reply.json({"error": {"message": "later"}}, status=429, headers={"retry-after": "25"})
IN_DETAILS = Reply.json(
    {"error": {"message": "later", "details": [{"retryDelay": "48s"}]}}, status=429
)


@pytest.mark.parametrize(
    ("refusal", "least", "most"), [(BUSY, 0.75, 1.25), (LATER, 25, 25), (IN_DETAILS, 48, 48)]
)
async def test_a_failure_that_may_pass_is_retried(refusal: Reply, least: int, most: int) -> None:
    """After the pause that the vendor asks for, else that of the settings."""
    pauses, metrics = Pauses(), RecordingMetrics()
    async with VendorServer(refusal, answer_as_openai) as server:
        embedder = embedder_at(server.url, pauses=pauses, metrics=metrics)
        async with running(embedder):
            assert await embedder.embed(["a"], kind="query") == [vector_of("a")]

    assert least <= pauses.seconds[0] <= most
    assert [each.attempts for each in metrics.model_calls] == [2]


async def test_retries_end() -> None:
    """By `retry.max_attempts`."""
    pauses, metrics = Pauses(), RecordingMetrics()

    error = await fail(*[BUSY] * 9, pauses=pauses, metrics=metrics)

    assert isinstance(error, ModelUnavailableError)
    assert len(pauses.seconds) == 2
    [record] = metrics.model_calls
    assert (record.attempts, record.error_code) == (3, AgentErrorCode.UNAVAILABLE)


LONG = Reply.json({"error": {"message": "later"}}, status=429, headers={"retry-after": "3600"})
PER_DAY = Reply.json(
    [{"error": {"code": 429, "details": [{"violations": [{"quotaId": "RequestsPerDay"}]}]}}],
    status=429,
)


@pytest.mark.parametrize(
    ("refusal", "kind"),
    [
        (Reply.json({"error": {"message": "key"}}, status=401), AuthenticationError),
        (
            Reply.json({"error": {"details": [{"reason": "API_KEY_INVALID"}]}}, status=400),
            AuthenticationError,
        ),
        (Reply.json({"error": {"code": "insufficient_quota"}}, status=429), QuotaExceededError),
        (PER_DAY, QuotaExceededError),
        (LONG, ModelError),
    ],
)
async def test_a_failure_that_stays_is_not_retried(refusal: Reply, kind: type[ModelError]) -> None:
    """Nor one after which the vendor asks for a pause of an hour."""
    pauses = Pauses()

    error = await fail(refusal, pauses=pauses)

    assert isinstance(error, kind)
    assert pauses.seconds == []


def changed(change: Callable[[list[Any]], Any]) -> Reply:
    """A reply whose vectors are not as they should be."""
    reply = openai_reply(["a", "b"])
    reply["data"] = change(reply["data"])
    return Reply.json(reply)


def with_vector(vector: object) -> Reply:
    """A reply with one vector that is wrong."""
    return changed(lambda data: [{**data[0], "embedding": vector}, data[1]])


@pytest.mark.parametrize(
    ("reply", "problem"),
    [
        (changed(lambda data: data[:1]), "1 vectors came for 2 texts"),
        (changed(lambda data: [data[0], data[0]]), "1 vectors came"),
        (with_vector([1.0] * 7), r"a vector of 7 numbers .* correct embedder\.dimensions"),
        (with_vector([float("nan")] * 8), "not finite"),
        (with_vector([float("inf"), float("-inf"), *[1.0] * 6]), "not finite"),
        (with_vector([0.0] * 8), "no direction"),
        (with_vector([None] * 8), "not in the form of this API"),
        (with_vector(["1"] * 8), "not in the form of this API"),
        (with_vector("AAAA"), "not the base64 of 32-bit numbers"),
        (with_vector("AAAAA"), "not the base64 of 32-bit numbers"),
        (with_vector("AAAAAA=="), r"a vector of 1 numbers"),
        (with_vector(in_base64([float("nan")] * 8)), "not finite"),
        (with_vector([10**400] * 8), "int too large"),
        (Reply.json({"data": None}), "not in the form of this API"),
        (Reply.json([1]), r"check that the server at embedder\.base_url"),
    ],
)
async def test_wrong_vectors_are_refused(reply: Reply, problem: str) -> None:
    """They would be found for any question, or for none."""
    error = await fail(reply)

    assert isinstance(error, InvalidResponseError)
    assert re.search(problem, str(error))


async def test_a_page_in_the_place_of_an_answer_is_told() -> None:
    """As a proxy sends it; the error says where to look."""
    page = Reply(body=b"<html>Log in</html>", content_type="text/html")

    error = await fail(page, page, page)

    assert isinstance(error, ModelUnavailableError)
    assert "something that is not JSON (text/html)" in str(error)
    assert "check that embedder.base_url leads to the API" in str(error)


async def test_a_server_that_is_not_there_is_told() -> None:
    """By its address and the setting."""
    async with running(embedder_at("http://127.0.0.1:9")) as embedder:
        with pytest.raises(ModelUnavailableError, match=r"127\.0\.0\.1:9 .*embedder\.base_url"):
            await embedder.embed(["a"], kind="query")


async def test_a_silent_server_is_given_up() -> None:
    """After `embedder.timeout_s`, at each attempt."""
    silence = Reply.nothing(Ending.STALLED)

    error = await fail(*[silence] * 3, timeout_s=0.05)

    assert isinstance(error, ModelTimeoutError)


async def test_a_server_that_breaks_off_is_asked_again() -> None:
    """The vectors are whole, or there are none."""
    whole = Reply.json(openai_reply(["a"]))
    async with (
        VendorServer(whole.cut_off(30, Ending.RESET), whole) as server,
        running(embedder_at(server.url)) as embedder,
    ):
        assert await embedder.embed(["a"], kind="query") == [vector_of("a")]


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_a_redirect_is_not_followed(status: int) -> None:
    """Texts go where the settings say; the error says what to do."""
    async with VendorServer() as elsewhere:
        error = await fail(Reply(status=status, headers={"location": elsewhere.url}))

    assert "set embedder.base_url to" in str(error)
    assert elsewhere.requests == []


@pytest.mark.parametrize("status", [200, 500])
async def test_a_huge_reply_is_not_collected(status: int) -> None:
    """The bound counts decompressed bytes, and for errors too."""
    bomb = gzip.compress(bytes(50_000_000), compresslevel=1)
    reply = Reply(body=bomb, status=status, headers={"content-encoding": "gzip"})

    error = await fail(reply, llm=LlmSettings(max_reply_bytes=1_000_000))

    assert "more than 1000000 bytes" in str(error)


async def test_a_key_that_a_server_echoes_is_not_told() -> None:
    """Nor logged as the cause."""
    echo = Reply.json({"error": {"message": "no such key: sk-hush"}}, status=401)

    error = await fail(echo, api_key="sk-hush")

    assert "sk-hush" not in f"{error} {error.__cause__}"


async def test_an_address_with_a_password_stops_the_start() -> None:
    """Which is not repeated."""
    embedder = embedder_at("http://ann:hush@127.0.0.1:9")

    with pytest.raises(ConfigurationError, match=r"embedder\.api_key") as raised:
        await embedder.start()

    assert "hush" not in str(raised.value)


@pytest.mark.parametrize(
    ("price", "cost"), [("0.5", Decimal("0.0000035")), (None, Decimal("0.000014"))]
)
async def test_tokens_and_cost_are_measured(price: str | None, cost: Decimal) -> None:
    """At the price of the settings, else at that of the list."""
    metrics, prices = RecordingMetrics(), FixedModelPrices({"m": (2, 9)})
    async with VendorServer(*[answer_as_openai] * 2) as server:
        embedder = embedder_at(server.url, metrics=metrics, prices=prices, price=price)
        async with running(embedder):
            await embedder.embed(["a"], kind="query")
            await embedder.embed(["b"], kind="query")

    record = metrics.model_calls[0]
    assert (record.operation, record.provider, record.model) == (
        *(ModelOperation.EMBEDDINGS, "openai", "m"),
    )
    assert (record.token_usage, record.cost) == (TokenUsage(7, 0), cost)
    assert embedder.usage == EmbeddingUsage(tokens=14, cost=2 * cost)


async def test_a_cost_that_is_not_known_is_not_told() -> None:
    """The tokens are counted nevertheless."""
    async with VendorServer(answer_as_openai) as server:
        embedder = embedder_at(server.url, prices=FixedModelPrices({}))
        async with running(embedder):
            await embedder.embed(["a"], kind="query")

    assert embedder.usage == EmbeddingUsage(tokens=7, cost=None)


class BrokenMetrics(RecordingMetrics):
    """Fails."""

    def record_model_call(self, record: object) -> None:
        raise ZeroDivisionError


async def test_metrics_that_fail_cost_no_vectors() -> None:
    """They are logged."""
    async with VendorServer(answer_as_openai) as server:
        embedder = embedder_at(server.url, metrics=BrokenMetrics())
        async with running(embedder):
            assert await embedder.embed(["a"], kind="query")


async def test_health_is_an_embedding() -> None:
    """`arc doctor` learns of a server that does not answer, and what to look at."""
    refused = Reply.json({"error": {"message": "no"}}, status=401)
    async with (
        VendorServer(answer_as_openai, refused) as server,
        running(embedder_at(server.url)) as embedder,
    ):
        good, bad = await embedder.check_health(), await embedder.check_health()

    assert (good.status, good.summary) == (
        *(HealthStatus.OK, "m of openai answers with 8 numbers"),
    )
    assert bad.status is HealthStatus.ERROR
    assert "embedder.api_key" in str(bad.remedy)


async def test_it_may_be_started_again() -> None:
    """Closing leaves nothing open at the server."""
    async with VendorServer(*[answer_as_openai] * 2) as server:
        embedder = embedder_at(server.url)
        for _ in range(2):
            async with running(embedder):
                assert await embedder.embed(["a"], kind="query")
        await server.wait_until(lambda: not server.open_connections)
