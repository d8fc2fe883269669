"""The response cache in front of the turns: whose answers it may give, and to whom.

Fails open. Identical runs that come at the same time share one answer, whatever the cache does.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Generic, TypeVar

from arc_core.agents.agent import DEFAULT_AGENT
from arc_core.command import identity_of
from arc_core.engine.answer import FinalAnswer
from arc_core.engine.boundary import policies
from arc_core.engine.boundary.boundary import Boundary, Failed, is_said_beside
from arc_core.engine.caching.response_key import response_key
from arc_core.engine.journal.records import CachedStep
from arc_core.engine.journal.step_forms import ANSWERED, PackedForm
from arc_core.engine.models.models import Models, Prices, RunModel
from arc_core.engine.run_limits import tool_call_limit
from arc_core.engine.run_state import ActiveRun
from arc_core.interfaces.agent_metrics import AgentMetrics, CacheLookup
from arc_core.interfaces.models.chat_model import ChatRequest
from arc_core.interfaces.models.response_cache import CachedResponse, ResponseCache
from arc_core.interfaces.tools.tool import Tool
from arc_core.log import get_logger
from arc_core.messages.content import get_attachments
from arc_core.settings import AgentSettings, CacheScope
from arc_core.usage import FinishReason, TokenUsage

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Landed(Generic[T]):
    """The result of the leader of a key.

    Attributes:
        value: What it shares; None if that is for itself alone.
    """

    value: T | None


class SingleFlight(Generic[T]):
    """Lets the first of identical runs lead, and those that come meanwhile wait.

    A leader that fails or is cancelled leaves the lead to exactly one of those who wait.
    """

    def __init__(self) -> None:
        self._flights: dict[str, asyncio.Future[Landed[T]]] = {}

    async def wait_for_leader(self, key: str) -> Landed[T] | None:
        """Wait for the leader of a key; None if there is none, and the caller is to lead at once.

        Between this answer and `lead` nothing may be awaited.
        """
        while (flight := self._flights.get(key)) is not None:
            await asyncio.wait((flight,))
            if not flight.cancelled():
                return flight.result()
        return None

    @contextmanager
    def lead(self, key: str) -> Iterator["asyncio.Future[Landed[T]]"]:
        """Lead: set the result of the future for those who wait, or leave without one."""
        flight = self._flights[key] = asyncio.get_running_loop().create_future()
        try:
            yield flight
        finally:
            del self._flights[key]
            flight.cancel()


class CacheCalls:
    """The calls of one run; together they take no longer than one time-out."""

    def __init__(self, cache: ResponseCache, *, boundary: Boundary, timeout_s: float) -> None:
        self._cache = cache
        self._boundary = boundary
        self._left_s = timeout_s

    async def get(self, key: str) -> CachedResponse | None:
        """Return the response under a key; None if there is none, or none that can be used."""
        return await self._call(partial(self._read, key))

    async def put(self, key: str, response: CachedResponse) -> None:
        """Keep a response, if there is time left for it."""

        async def write() -> None:
            await self._cache.put(key, response)

        await self._call(write)

    async def _call(
        self, work: Callable[[], Awaitable[CachedResponse | None]]
    ) -> CachedResponse | None:
        if self._left_s <= 0:
            return None
        loop = asyncio.get_running_loop()
        began = loop.time()
        result = await self._boundary.call(
            policies.RESPONSE_CACHE, self._cache, work, timeout_s=self._left_s
        )
        self._left_s -= loop.time() - began
        return None if isinstance(result, Failed) else result

    async def _read(self, key: str) -> CachedResponse | None:
        kept: object = await self._cache.get(key)
        if kept is None or (isinstance(kept, CachedResponse) and _is_usable(kept)):
            return kept
        raise TypeError(f"get returned a {type(kept).__name__} that cannot be used")


def _is_usable(response: CachedResponse) -> bool:
    """A blank answer is not: a run that has it fails, and would fail as long as it is kept."""
    content: object = response.content
    used: object = response.tools_used
    if not isinstance(content, str) or not content.strip() or not isinstance(used, tuple):
        return False
    return all(isinstance(name, str) for name in used)


logger = get_logger("response_cache")


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerOrigin:
    """The steps that make, read and hand over an answer.

    Attributes:
        ask: Makes an answer.
        read: Reads a kept one; None if it is not what the run asks for.
        leave: What the caller gets of an answer. If that is refused, or is not to be had by others,
            the answer is not kept either.
    """

    ask: Callable[[], Awaitable[FinalAnswer]]
    read: Callable[[FinalAnswer], Awaitable[FinalAnswer | None]]
    leave: Callable[[FinalAnswer], Awaitable[FinalAnswer]]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ResponseCaching:
    """Looks up before the model is asked, and stores what it answered."""

    cache: ResponseCache
    models: Models
    boundary: Boundary
    metrics: AgentMetrics
    prices: Prices
    settings: AgentSettings
    _flights: SingleFlight[CachedResponse] = field(init=False, default_factory=SingleFlight)
    _reasons_told: set[str] = field(init=False, default_factory=set)
    _identities: dict[str, tuple[str | None, ...]] = field(init=False, default_factory=dict)

    def serves(self, run: ActiveRun) -> bool:
        """Return True if a run may use the cache: `execute()`, at a known and low temperature."""
        if not self.settings.cache.enabled:
            return False
        reason = self._reason_against(run)
        if reason is not None:
            self._tell(reason)
        return reason is None

    def _reason_against(self, run: ActiveRun) -> str | None:
        if run.is_heard:
            return "the answer is streamed"
        if run.caller is not None:  # they could wait for each other's answers
            return "another agent asks"
        command, llm = run.command, self.settings.llm
        temperature = llm.temperature if command.temperature is None else command.temperature
        if temperature is None:
            return "the temperature is not set"
        if temperature > self.settings.cache.cacheable_temperature:
            return "the temperature is above cache.cacheable_temperature"
        return None

    def _tell(self, reason: str, **facts: object) -> None:
        """Write one line for each reason, however many runs have it."""
        if reason not in self._reasons_told:
            self._reasons_told.add(reason)
            logger.info("the response cache is not asked", reason=reason, **facts)

    async def answer(
        self, run: ActiveRun, request: ChatRequest, *, origin: AnswerOrigin
    ) -> FinalAnswer:
        """Return a kept answer, else that of an identical run under way, else a new one.

        Raises:
            RunStoppedError: As the steps of `origin` do.
            RunSuspended: The run is recorded, and is not to go on here.
            Exception: As the steps of `origin` do.
        """
        key = self._key(run, request)
        if key is None:
            return await origin.leave(await origin.ask())
        shared_key = run.recorder.get_shared_key(key)
        landed = await self._flights.wait_for_leader(shared_key)
        if landed is None:
            with self._flights.lead(shared_key) as flight:
                return await self._answer_first(run, key, origin=origin, flight=flight)
        answer = await self._use_kept(run, landed.value, origin.read)
        if answer is None:
            await run.recorder.step("answer", _find_nothing, PackedForm(ANSWERED, _pack))
            answer = await origin.ask()
        return await origin.leave(answer)

    async def _answer_first(
        self,
        run: ActiveRun,
        key: str,
        *,
        origin: AnswerOrigin,
        flight: "asyncio.Future[Landed[CachedResponse]]",
    ) -> FinalAnswer:
        """Answer a run that waits for no other; those that wait for it share the response."""
        timeout_s = self.settings.cache.timeout_s
        calls = CacheCalls(self.cache, boundary=self.boundary, timeout_s=timeout_s)
        kept = await run.recorder.step(
            "answer", partial(calls.get, key), PackedForm(ANSWERED, _pack, _restore)
        )
        answer = await self._use_kept(run, kept, origin.read)
        if answer is not None:
            flight.set_result(Landed(kept))
            return await origin.leave(answer)
        answer = await origin.ask()
        leaving = await origin.leave(answer)
        response = _response_to_keep(run, answer)
        flight.set_result(Landed(response))
        if response is not None:
            await calls.put(key, response)
        return leaving

    async def _use_kept(
        self,
        run: ActiveRun,
        kept: CachedResponse | None,
        read: Callable[[FinalAnswer], Awaitable[FinalAnswer | None]],
    ) -> FinalAnswer | None:
        answer = None
        if kept is not None:
            answer = await read(FinalAnswer(content=kept.content, finish_reason=FinishReason.STOP))
        if kept is None or answer is None:
            self.metrics.record_cache_lookup(CacheLookup.MISS)
            return None
        self.metrics.record_cache_lookup(CacheLookup.HIT)
        logger.debug("answer comes from the response cache")
        run.tools_used.update(dict.fromkeys(kept.tools_used))
        run.token_usage = TokenUsage()
        model = self.models.of(run.command)
        run.add_cost(self.prices.get_cost(model, model.vendor_model(run.command), run.token_usage))
        run.cache_hit, run.finish_reason = True, FinishReason.STOP
        return answer

    def _key(self, run: ActiveRun, request: ChatRequest) -> str | None:
        if dependent := [each.name for each in request.tools if _depends_on_run(each)]:
            self._tell("a tool may answer by what differs between runs", tools=dependent)
            return None
        return response_key(
            request,
            model=self._identify(self.models.of(run.command)),
            scope=self._scope(run),
            max_tool_calls=tool_call_limit(run.command, allowed=self.settings.max_tool_calls),
        )

    def _identify(self, model: RunModel) -> tuple[str | None, ...]:
        """Return what tells a model from others; a command changes nothing of it."""
        if (known := self._identities.get(model.known_as)) is not None:
            return known
        cls, llm = type(model.chat_model), model.llm
        fields = _OPTIONS.encode([llm.options, llm.extra_body])
        identity = f"{cls.__module__}.{cls.__qualname__}", llm.base_url, fields
        found = identity if model.name is None else (*identity, model.name)
        return self._identities.setdefault(model.known_as, found)

    def _scope(self, run: ActiveRun) -> tuple[str, ...]:
        scope, command = self.settings.cache.scope, run.command
        owners: tuple[str, ...] = ()
        if scope is not CacheScope.GLOBAL:
            owners = ((command.tenant_id or "").strip(),)
        if scope is CacheScope.USER:
            owners = (*owners, identity_of(command.user_id))
        agent = () if run.agent == DEFAULT_AGENT else ("agent", run.agent)
        return (scope, *owners, *agent)


async def _find_nothing() -> CachedResponse | None:
    return None


def _pack(kept: CachedResponse | None) -> CachedStep:
    if kept is None:
        return CachedStep()
    return CachedStep(content=kept.content, tools_used=tuple(kept.tools_used))


async def _restore(found: CachedStep) -> CachedResponse | None:
    if found.content is None:
        return None
    return CachedResponse(content=found.content, tools_used=found.tools_used)


_OPTIONS = json.JSONEncoder(sort_keys=True, default=repr)


def _depends_on_run(tool: Tool) -> bool:
    """Return True if a tool may answer by what the key lacks, as the command's metadata.

    A tool of a class of its own is given the context of every call; what it declares is believed.
    """
    declared, reads_run = _said_by(tool, "cacheable"), _said_by(tool, "reads_run")
    if declared is True or reads_run is False:
        return False
    return not (declared is False and reads_run is None)


def _said_by(tool: Tool, name: str) -> object:
    return getattr(tool, name, None) if is_said_beside(tool, name, method="call") else None


def _response_to_keep(run: ActiveRun, answer: FinalAnswer) -> CachedResponse | None:
    """Return the response that identical runs may be given; None if it should not be kept."""
    has_images = answer.message is not None and get_attachments(answer.message.content)
    if answer.finish_reason is not FinishReason.STOP or not run.repeatable or has_images:
        return None
    return CachedResponse(
        content=answer.content, tools_used=tuple(run.tools_used), token_usage=run.token_usage
    )
