"""An embedder whose vendor is asked over HTTP: everything but the vendor's own.

A vendor's plugin inherits from `HttpEmbedder` and brings what is its own: the path and the body of
a request, the vectors of a reply, the models it knows, and its table of errors.
"""

import asyncio
import math
import time
from abc import abstractmethod
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import count
from typing import Any, ClassVar

import httpx2

from arc_core.errors import (
    AgentErrorCode,
    ArcError,
    ConfigurationError,
    ContextTooLongError,
    InvalidResponseError,
    ModelError,
    ModelUnavailableError,
)
from arc_core.health_checks import check_embedder
from arc_core.interfaces.agent_metrics import AgentMetrics, ModelCallRecord, ModelOperation
from arc_core.interfaces.models.embedder import (
    CountsEmbeddings,
    EmbeddedKind,
    Embedder,
    EmbeddingUsage,
)
from arc_core.interfaces.models.model_prices import ModelPrices
from arc_core.interfaces.optional import Health
from arc_core.log import get_logger
from arc_core.settings import EmbedderSettings, LlmSettings, RetrySettings
from arc_core.text.addresses import origin_of
from arc_core.timing.backoff import Backoff
from arc_core.usage import TokenUsage
from arc_core.wire.aiohttp_client import AioHttpClient
from arc_core.wire.guarded_client import check_base_url, explain_unreadable_address
from arc_core.wire.host_credentials import find_key, read_variable
from arc_core.wire.http_chat_model.vendor import PlainClient
from arc_core.wire.model_errors import VendorErrors
from arc_core.wire.payloads import json_value

_SETTING = "embedder.base_url"
_HEADERS = {"content-type": "application/json"}
_CONNECT_TIMEOUT_S = 5
_MAX_CHARS = 8_000
"""Of a text; passages of documents have fewer, and models read no more than some thousands."""

_LEAST_CHARS = 100  # a text that is refused is cut no shorter
_MAX_BATCH_CHARS = 100_000  # vendors bound the tokens of a request, too
_MAX_PAUSE_S = 60.0
"""The longest pause that a vendor may ask for; callers that cannot wait have time-outs."""

_logger = get_logger("embedders")


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddingVendor:
    """The facts of a vendor that never change.

    Attributes:
        title: Its name for people.
        address: What is asked if neither the settings nor `address_variable` name an address.
        address_variable: The environment variable with an address; empty if there is none.
        key_variables: The environment variables with the key; the first that is set counts.
        default_model: What is asked for if the settings name no model.
        dimensions: Of the vectors of models that are known, by their names.
        max_batch: The most texts that it takes in one request.
        errors: How it fails; `errors.vendor` is its name in metrics and lists of prices.
    """

    title: str
    address: str
    address_variable: str = ""
    key_variables: Sequence[str]
    default_model: str
    dimensions: Mapping[str, int]
    max_batch: int = 128
    errors: VendorErrors


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddingReply:
    """A reply, decoded.

    Attributes:
        vectors: In the order of the texts.
        tokens: Of the request; None if the vendor does not tell.
    """

    vectors: list[Any]
    tokens: int | None


class HttpEmbedder(Embedder, CountsEmbeddings):
    """Posts texts in batches and checks the vectors that come back.

    Each text counts by its first 8 000 characters, or fewer if the model reads no more. A request
    that fails by the vendor's fault is tried again as `retry` says, or when the vendor says.

    Args:
        settings: Which server and model.
        llm: Bounds the size of replies.
        retry: How often a request is tried, and how long the pauses are.
        metrics: Told of each request.
        prices: Asked if `embedder.price` is not set.
        sleep: Waits for seconds.

    Attributes:
        vendor: Of the class.
        settings: As they were given.

    Raises:
        ConfigurationError: The model is not known, and `embedder.dimensions` is not set.
    """

    vendor: ClassVar[EmbeddingVendor]

    def __init__(
        self,
        *,
        settings: EmbedderSettings,
        llm: LlmSettings,
        retry: RetrySettings,
        metrics: AgentMetrics | None = None,
        prices: ModelPrices | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self.settings = settings
        self.name = settings.model or self.vendor.default_model
        self.dimensions = self._find_dimensions()
        self._usage = EmbeddingUsage(cost=Decimal(0))
        self._retry, self._sleep = retry, sleep
        self._backoff = Backoff(
            first_delay_s=retry.initial_delay_s,
            max_delay_s=retry.max_delay_s,
            multiplier=retry.multiplier,
        )
        self._metrics, self._prices = metrics, prices
        self._batch_size = min(settings.batch_size, self.vendor.max_batch)
        self._price = settings.price
        self._max_reply_bytes = llm.max_reply_bytes
        self._client: PlainClient | None = None
        self._secret: str | None = None

    @property
    def usage(self) -> EmbeddingUsage:
        """The tokens and the cost of all requests so far."""
        return self._usage

    @abstractmethod
    def make_headers(self, key: str) -> Mapping[str, str]:
        """The headers that authenticate a request; the key is empty if there is none."""

    @abstractmethod
    def complete_address(self, address: str) -> str:
        """The address to which paths are added, from one that users have written."""

    @abstractmethod
    def get_path(self) -> str:
        """The path of a request behind the address, with a slash at its beginning."""

    @abstractmethod
    def encode(self, texts: Sequence[str], kind: EmbeddedKind) -> bytes:
        """The body of a request."""

    @abstractmethod
    def decode(self, payload: Any) -> EmbeddingReply:
        """A reply, from its JSON.

        Raises:
            Exception: It is not a reply.
        """

    def get_shortened_dimensions(self) -> int | None:
        """The length that a known model is asked for; None if it is the model's own."""
        known = self.vendor.dimensions.get(self.name)
        return self.dimensions if known is not None and known != self.dimensions else None

    async def start(self) -> None:
        """Make the client, for this event loop.

        Raises:
            ConfigurationError: There is no key, or the address cannot be used.
        """
        self._client = self._connect()

    async def aclose(self) -> None:
        """Close all connections; may be started again, on another event loop too."""
        client, self._client = self._client, None
        if client is not None:
            await client.close()

    async def check_health(self) -> Health:
        """Embed a word."""
        return await check_embedder(self, name=self.vendor.errors.vendor)

    async def embed(self, texts: Sequence[str], *, kind: EmbeddedKind) -> Sequence[Sequence[float]]:
        """A vector for each text, in their order.

        Raises:
            ModelError: The server did not answer, or not with such vectors.
        """
        vectors: list[list[float]] = []
        for batch in self._split(texts):
            vectors += await self._embed_batch(batch, kind)
        return vectors

    def _split(self, texts: Sequence[str]) -> Iterable[list[str]]:
        batch: list[str] = []
        chars = 0
        for text in texts:
            cut = text[:_MAX_CHARS]
            if len(batch) == self._batch_size or (batch and chars + len(cut) > _MAX_BATCH_CHARS):
                yield batch
                batch, chars = [], 0
            batch.append(cut)
            chars += len(cut)
        if batch:
            yield batch

    async def _embed_batch(self, texts: list[str], kind: EmbeddedKind) -> list[list[float]]:
        """The vectors of a batch; one that is too long is asked for by halves, then cut."""
        try:
            return await self._ask(texts, kind)
        except ContextTooLongError:
            if len(texts) == 1 and len(texts[0]) <= _LEAST_CHARS:
                raise
        if len(texts) == 1:
            return await self._embed_batch([texts[0][: len(texts[0]) // 2]], kind)
        middle = len(texts) // 2
        first = await self._embed_batch(texts[:middle], kind)
        return first + await self._embed_batch(texts[middle:], kind)

    async def _ask(self, texts: list[str], kind: EmbeddedKind) -> list[list[float]]:
        """Send one request, once more after each failure that may pass."""
        body = self.encode(texts, kind)
        began = time.monotonic()
        for attempt in count(1):
            try:
                vectors, tokens = await self._post(body, wanted=len(texts))
            except ModelError as error:
                delay_s = self._get_delay_s(error, attempt=attempt)
                if delay_s is None:
                    self._measure(began, attempt, error_code=error.code)
                    raise
            else:
                self._measure(began, attempt, tokens=tokens)
                return vectors
            await self._sleep(delay_s)
        raise AssertionError("attempts do not end")

    def _get_delay_s(self, error: ModelError, *, attempt: int) -> float | None:
        """Seconds until the next attempt; None if there is none."""
        if not error.retryable or attempt >= self._retry.max_attempts:
            return None
        asked_s = error.retry_after_s
        if asked_s is None:
            return self._backoff.delay_s(attempt)
        return asked_s if asked_s <= _MAX_PAUSE_S else None

    async def _post(self, body: bytes, *, wanted: int) -> tuple[list[list[float]], int | None]:
        """The vectors of a reply, checked, and its tokens."""
        client = self._client = self._client or self._connect()
        try:
            response = await client.post(
                self.get_path(), content=body, options={"headers": _HEADERS}, stream=False
            )
            reply = self.decode(self._read(response))
            return self._check(reply.vectors, wanted), reply.tokens
        except ArcError:
            raise
        except Exception as error:  # whatever a server's bytes do to us is the server's failure
            raise self.vendor.errors.translate(error, secret=self._secret) from error

    def _read(self, response: httpx2.Response) -> Any:
        try:
            return json_value(response.content)
        except ValueError as error:
            content_type = response.headers.get("content-type", "no content type")[:100]
            raise ModelUnavailableError(
                f"{self.vendor.errors.vendor}: {origin_of(response.request.url)} has answered with "
                f"something that is not JSON ({content_type}). To fix it: check that {_SETTING} "
                "leads to the API, and not to a page or a proxy"
            ) from error

    def _check(self, vectors: list[Any], wanted: int) -> list[list[float]]:
        vendor = self.vendor.errors.vendor
        if len(vectors) != wanted:
            raise InvalidResponseError(f"{vendor}: {len(vectors)} vectors came for {wanted} texts")
        for numbers in vectors:
            total = sum(numbers)  # tells of what is not a number, and of NaN and infinity
            if len(numbers) != self.dimensions:
                raise InvalidResponseError(
                    f"{vendor}: a vector of {len(numbers)} numbers came, and {self.name!r} is set "
                    f"to {self.dimensions}. To fix it: correct embedder.dimensions"
                )
            if not math.isfinite(total) or not any(numbers):
                raise InvalidResponseError(
                    f"{vendor}: a vector came that has no direction, or numbers that are not finite"
                )
        return vectors

    def _measure(
        self,
        began: float,
        attempts: int,
        *,
        tokens: int | None = None,
        error_code: AgentErrorCode | None = None,
    ) -> None:
        usage = None if tokens is None else TokenUsage(tokens, 0)
        try:
            cost = None if usage is None else self._get_cost(usage)
            if error_code is None:
                self._usage = _add(self._usage, tokens, cost)
            if self._metrics is not None:
                record = ModelCallRecord(
                    model=self.name,
                    attempts=attempts,
                    error_code=error_code,
                    duration_ms=(time.monotonic() - began) * 1000,
                    token_usage=usage,
                    provider=self.vendor.errors.vendor,
                    cost=cost,
                    operation=ModelOperation.EMBEDDINGS,
                )
                self._metrics.record_model_call(record)
        except Exception:  # the vectors are good whatever metrics and prices do
            _logger.warning("embedding_not_measured", exc_info=True)

    def _get_cost(self, usage: TokenUsage) -> Decimal | None:
        if self._price is not None:
            return usage.prompt_tokens * self._price / 1_000_000
        if self._prices is None:
            return None
        return self._prices.cost_of(usage, model=self.name, provider=self.vendor.errors.vendor)

    def _find_dimensions(self) -> int:
        known = self.settings.dimensions or self.vendor.dimensions.get(self.name)
        if known is None:
            raise ConfigurationError(
                f"the embedding model is {self.name!r}, and the length of its vectors is not known",
                evidence=[f"known are: {', '.join(sorted(self.vendor.dimensions))}"],
                remedy="set embedder.dimensions to that length",
            )
        return known

    def _connect(self) -> PlainClient:
        vendor = self.vendor
        address = self.settings.base_url or read_variable(vendor.address_variable)
        key = find_key(self.settings.api_key, *vendor.key_variables)
        if not key and not address:
            variables = " or ".join(vendor.key_variables)
            raise ConfigurationError(
                f"{vendor.title} is the embedder, and there is no key for it",
                evidence=[
                    f"{each} is not set" for each in ("embedder.api_key", *vendor.key_variables)
                ],
                remedy=f"set {variables} or embedder.api_key to a key of your account, or "
                f"{_SETTING} to the address of a server that needs none",
            )
        with explain_unreadable_address(_SETTING):
            http = AioHttpClient(
                base_url=self.complete_address(address or vendor.address),
                headers=self.make_headers(key),
                timeout=httpx2.Timeout(self.settings.timeout_s, connect=_CONNECT_TIMEOUT_S),
                max_reply_bytes=self._max_reply_bytes,
                setting=_SETTING,
            )
        check_base_url(http.base_url, setting=_SETTING, key_variable=vendor.key_variables[0])
        self._secret = key or None
        return PlainClient(http)


def _add(usage: EmbeddingUsage, tokens: int | None, cost: Decimal | None) -> EmbeddingUsage:
    total = None if usage.cost is None or cost is None else usage.cost + cost
    return EmbeddingUsage(tokens=usage.tokens + (tokens or 0), cost=total)
