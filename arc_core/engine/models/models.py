"""The models that runs ask, those of `llm` and `llm.models`: what they take, and what they cost."""

from collections.abc import AsyncGenerator, Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import lru_cache
from typing import Any

from arc_core.command import AgentCommand, ReasoningEffort
from arc_core.engine.boundary import policies
from arc_core.engine.boundary.boundary import Boundary, Failed
from arc_core.engine.models.circuit import ModelCircuit
from arc_core.engine.models.token_costs import TokenCosts
from arc_core.errors import AuthenticationError
from arc_core.interfaces.models.chat_model import ChatDelta, ChatModel, ChatRequest, ChatResponse
from arc_core.interfaces.models.model_prices import ModelPrices
from arc_core.interfaces.optional import (
    AcceptsAddresses,
    AcceptsAttachments,
    EncodesRequests,
    NamesModel,
)
from arc_core.messages import AssistantMessage, Message, ToolResultMessage, UserMessage
from arc_core.messages.content import Attachment, get_attachments
from arc_core.settings import DEFAULT_MODEL, CircuitSettings, LlmSettings, ModelSettings
from arc_core.usage import TokenUsage

_MAX_TUNED = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class RunModel:
    """A chat model, and how it is asked.

    Attributes:
        name: In `llm.models`; None for that of `llm` itself.
        named: The component, if it says which vendor and model it asks.
        accepting: The component, if it says which attachments it takes.
        encoding: The component, if it says which bytes it would send.
        fallbacks: The models that are asked in turn if it is down.
    """

    chat_model: ChatModel
    llm: LlmSettings
    name: str | None
    named: NamesModel | None
    accepting: AcceptsAttachments | None
    encoding: EncodesRequests | None
    circuit: ModelCircuit
    fallbacks: "tuple[RunModel, ...]" = ()

    @classmethod
    def of(
        cls,
        chat_model: ChatModel,
        llm: LlmSettings,
        *,
        circuit: ModelCircuit,
        name: str | None = None,
    ) -> "RunModel":
        """A model of an engine."""
        # Asked once: of a protocol, the question takes longer than all else in a call.
        return cls(
            chat_model=chat_model,
            llm=llm,
            name=name,
            named=chat_model if isinstance(chat_model, NamesModel) else None,
            accepting=chat_model if isinstance(chat_model, AcceptsAttachments) else None,
            encoding=chat_model if isinstance(chat_model, EncodesRequests) else None,
            circuit=circuit,
        )

    @property
    def known_as(self) -> str:
        """Its name in the settings."""
        return self.name or DEFAULT_MODEL

    def adapt(self, request: ChatRequest) -> ChatRequest:
        """Return another model's request, for this one."""
        llm = self.llm
        return replace(
            request,
            model=llm.model,
            max_output_tokens=llm.max_output_tokens,
            reasoning=llm.reasoning,
        )

    def tune(self, changes: Mapping[str, Any]) -> "RunModel":
        """Return the same model with other settings."""
        return replace(self, llm=self.llm.model_copy(update=dict(changes)))

    def vendor_model(self, command: AgentCommand) -> str | None:
        """The vendor's name of the model that a run asks for; None is the vendor's default."""
        if self.name is not None or command.model in {None, DEFAULT_MODEL}:
            return self.llm.model
        return command.model


class MissingChatModel(ChatModel):
    """Stands for a model that could not be started, and that others can do without."""

    def __init__(self, name: str) -> None:
        self._name = name

    async def complete(self, request: ChatRequest) -> ChatResponse:
        """Fail, always by an `AuthenticationError`: mostly it is the key that is missing."""
        raise AuthenticationError(f"the model {self._name} could not be started; see the log")

    async def stream(self, request: ChatRequest) -> AsyncGenerator[ChatDelta]:
        """Fail, as `complete` does."""
        await self.complete(request)
        yield ChatDelta()


def _with_fallbacks(name: str, alone: Mapping[str, RunModel], llm: LlmSettings) -> RunModel:
    """A model with those that follow it, and those that follow them, each once."""
    chain: dict[str, RunModel] = {}

    def follow(model: str) -> None:
        for each in llm.fallbacks_of(model):
            if each not in chain:
                chain[each] = alone[each]
                follow(each)

    follow(name)
    return replace(alone[name], fallbacks=tuple(chain.values()))


class Models:
    """The models of one engine.

    Args:
        llm: The settings of all of them; a model that only they have could not be started.

    Attributes:
        names: Of all of them, `default` first.
        default: The model of `llm` itself.
    """

    def __init__(
        self,
        default: ChatModel,
        named: Mapping[str, ChatModel],
        *,
        llm: LlmSettings,
        circuit: CircuitSettings | None = None,
    ) -> None:
        rules = circuit or CircuitSettings()
        own = RunModel.of(default, llm, circuit=ModelCircuit(rules, model=DEFAULT_MODEL))
        alone = {DEFAULT_MODEL: own}
        for name in {**llm.models, **named}:
            alone[name] = RunModel.of(
                named.get(name) or MissingChatModel(name),
                llm.overlay(llm.models.get(name, ModelSettings())),
                circuit=ModelCircuit(rules, model=name),
                name=name,
            )
        self._named = {name: _with_fallbacks(name, alone, llm) for name in alone}
        self.names = tuple(self._named)
        self.default = self._named[DEFAULT_MODEL]
        self._tuned = lru_cache(maxsize=_MAX_TUNED)(self._tune)

    def of(self, command: AgentCommand) -> RunModel:
        """The model that a command names, or the default for a vendor's name and for none."""
        name = command.model
        model = self.default if name is None else self._named.get(name, self.default)
        if command.reasoning is None and command.max_output_tokens is None:
            return model
        return self._tuned(model.known_as, command.reasoning, command.max_output_tokens)

    def _tune(
        self, name: str, reasoning: ReasoningEffort | None, max_output_tokens: int | None
    ) -> RunModel:
        """A model and its fallbacks, asked as a command or an agent wants it."""
        model = self._named[name]
        given = {"reasoning": reasoning, "max_output_tokens": max_output_tokens}
        changes = {key: value for key, value in given.items() if value is not None}
        fallbacks = tuple(each.tune(changes) for each in model.fallbacks)
        return replace(model.tune(changes), fallbacks=fallbacks)

    def find(self, name: str) -> RunModel:
        """The model of a name, or a `KeyError`."""
        return self._named[name]


_ONE_TOKEN_EACH = TokenUsage(prompt_tokens=1, completion_tokens=1)


class Prices:
    """Knows what a call costs; a price in the settings goes before the component."""

    def __init__(self, prices: ModelPrices, *, boundary: Boundary) -> None:
        self._prices = prices
        self._boundary = boundary

    def get_cost(
        self, model: RunModel, vendor_model: str | None, usage: TokenUsage | None
    ) -> Decimal | None:
        """Return the cost of a call; None if the price or the vendor's count is not known."""
        if usage is None or min(usage.prompt_tokens, usage.completion_tokens) < 0:
            return None
        if model.llm.price is not None and vendor_model == model.llm.model:
            return model.llm.price.of(usage)
        named = model.named
        asked = vendor_model or (named.default_model if named else None)
        if asked is None:
            return None
        return self._look_up(usage, model=asked, provider=named.provider_name if named else None)

    def get_highest_cost(
        self, model: RunModel, vendor_model: str | None, *, prompt: int, completion: int
    ) -> Decimal | None:
        """The most that a call with so many tokens costs; None if the price is not known.

        Vendors may bill more for what they write into their caches than for what they do not.
        """
        plain = self.get_cost(model, vendor_model, TokenUsage(prompt, completion))
        if plain is None:
            return None
        written = TokenUsage(prompt, completion, cache_write_tokens=prompt)
        return max(plain, self.get_cost(model, vendor_model, written) or plain)

    def knows(self, model: RunModel, vendor_model: str | None) -> bool:
        """Return True if there is a price for a model."""
        return self.get_cost(model, vendor_model, _ONE_TOKEN_EACH) is not None

    def _look_up(self, usage: TokenUsage, *, model: str, provider: str | None) -> Decimal | None:
        prices = self._prices

        def ask() -> Decimal | None:
            return prices.cost_of(usage, model=model, provider=provider)

        cost = self._boundary.call_now(policies.MODEL_PRICES, prices, ask)
        if cost is None or isinstance(cost, Failed):
            return None
        if cost.is_finite() and cost >= 0:
            return cost
        problem = ValueError("the cost is negative or not a finite number")
        self._boundary.report(policies.MODEL_PRICES, prices, problem)
        return None


class ModelFit:
    """Knows why a model cannot be sent something."""

    def __init__(self, costs: TokenCosts, *, boundary: Boundary) -> None:
        self._costs = costs
        self._boundary = boundary

    def find_refusal(self, model: RunModel, attachment: Attachment) -> str | None:
        """Return why a model does not take an attachment; None if it does."""
        accepting, media_type = model.accepting, attachment.media_type
        if accepting is None or not self._says_yes(accepting, accepting.accepts, media_type):
            return "the model does not take this type"
        if attachment.url is None or not isinstance(accepting, AcceptsAddresses):
            return None
        if not self._says_yes(accepting, accepting.accepts_address, media_type):
            return "the model takes this type as bytes only"
        return None

    def find_problem(
        self, request: ChatRequest, model: RunModel, *, made_for: RunModel
    ) -> str | None:
        """Return why a model cannot take another one's request; None if it can."""
        for attachment in _list_attachments(request.messages):
            refusal = self.find_refusal(model, attachment)
            if refusal is not None:
                return f"{refusal}: {attachment.media_type}"
        room = _room_in(model)
        if room >= _room_in(made_for):
            return None
        tokens = self._costs.of_request(request)
        return f"{tokens} tokens do not fit into {room}" if tokens > room else None

    def estimate_tokens(self, request: ChatRequest, answer: AssistantMessage) -> int:
        """Return an estimate of the tokens that a call has taken."""
        return self._costs.of_request(request) + self._costs.of_answer(answer)

    def encode(self, model: RunModel, request: ChatRequest) -> bytes:
        """Return the bytes that a model would send; empty if it cannot tell them."""
        if (encoding := model.encoding) is None:
            return b""
        encode = encoding.encode_request
        encoded = self._boundary.call_now(policies.REQUEST_ENCODING, encoding, encode, request)
        return b"" if isinstance(encoded, Failed) else encoded

    def _says_yes(self, model: object, question: Callable[[str], bool], media_type: str) -> bool:
        answer = self._boundary.call_now(policies.ATTACHMENTS, model, question, media_type)
        return answer is True


def _room_in(model: RunModel) -> int:
    """Return the tokens that a request may have, so that there is room for the answer."""
    return model.llm.max_context_window_tokens - model.llm.max_output_tokens


def _list_attachments(messages: Iterable[Message]) -> Iterator[Attachment]:
    for message in messages:
        match message:
            case UserMessage(content=content):
                yield from get_attachments(content)
            case ToolResultMessage(results=results):
                for result in results:
                    yield from get_attachments(result.content)
