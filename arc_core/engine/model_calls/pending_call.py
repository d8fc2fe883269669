"""A question on its way to one model, what is measured of it, and the record of its answer."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from decimal import Decimal

from arc_core.engine.answer import GuardedAnswer
from arc_core.engine.journal.records import ModelStep
from arc_core.engine.model_calls.retry import Failure
from arc_core.engine.models.models import RunModel
from arc_core.engine.run_state import ActiveRun
from arc_core.engine.spending.run_account import Meter, RunAccount
from arc_core.errors import AgentErrorCode
from arc_core.interfaces.agent_metrics import ModelCallRecord
from arc_core.interfaces.models.chat_model import ChatRequest, ChatResponse


@dataclass(slots=True, eq=False)
class PendingCall:
    """A question on its way to one model, with all attempts to have it answered.

    What they spend is put on the account, if anything bounds the run.

    Attributes:
        streams: Whether text is handed out as it comes.
        meter: Of the last attempt, if anything bounds the run.
        attempts: How often the model was asked.
        failed_with: Why there is no answer; None if there is one.
        last_failure: Why the last attempt that has ended had none.
        received: What the model has sent; None if it has not sent all of it.
        left: The text that output guards have let leave; None if nothing was streamed past them.
    """

    run: ActiveRun
    model: RunModel
    request: ChatRequest
    fallbacks: tuple[RunModel, ...] = ()
    streams: bool = False
    account: RunAccount | None = None
    meter: Meter | None = field(default=None, init=False)
    attempts: int = field(default=0, init=False)
    failed_with: AgentErrorCode | None = field(default=AgentErrorCode.CANCELLED, init=False)
    last_failure: AgentErrorCode | None = field(default=None, init=False)
    received: ChatResponse | None = field(default=None, init=False)
    left: str | None = field(default=None, init=False)
    _already_out: int = field(init=False)
    _began: float = field(init=False)
    _attempt_began: float = field(init=False)

    def __post_init__(self) -> None:
        self._already_out = self.run.pieces_handed_out
        self._began = self._attempt_began = time.perf_counter()

    @property
    def has_handed_out(self) -> bool:
        """True if the caller has got anything of the answer."""
        return self.run.pieces_handed_out > self._already_out

    @property
    def attempt_lasted_s(self) -> float:
        """Since the last attempt has begun."""
        return time.perf_counter() - self._attempt_began

    @property
    def end_for_circuit(self) -> AgentErrorCode | None:
        """As `failed_with`; if a deadline ends it in a retry, why it was tried again."""
        if self.failed_with is not AgentErrorCode.CANCELLED or self.last_failure is None:
            return self.failed_with
        left_s = self.run.seconds_left()
        is_out_of_time = left_s is not None and left_s <= 0
        return self.last_failure if is_out_of_time and not self.has_handed_out else self.failed_with

    def begin_attempt(self) -> None:
        """Count an attempt; what one before it has received is not used."""
        self.attempts += 1
        self.run.attempts_of_last_call += 1
        self.received = None
        self._attempt_began = time.perf_counter()

    def name_model(self) -> None:
        """Note in the run which model it asks."""
        run, named = self.run, self.model.named
        run.model_name = self.model.name
        run.vendor_model = self.request.model or (named.default_model if named else None)
        run.provider = named.provider_name if named else None

    def to_record(
        self,
        *,
        failure: Failure | None = None,
        fallback: str | None = None,
        cost: Decimal | None = None,
    ) -> ModelCallRecord:
        """Return the record of the call, which has ended, for the metrics.

        A failure is why its answer is not used, and a fallback the model that is asked instead.
        """
        run, received = self.run, self.received
        return ModelCallRecord(
            model=run.vendor_model,
            attempts=self.attempts,
            error_code=failure.code if failure else None,
            duration_ms=(time.perf_counter() - self._began) * 1000,
            token_usage=received.usage if received else None,
            provider=run.provider,
            finish_reason=received.finish_reason if received else None,
            name=self.model.name,
            cost=cost,
            fallback=fallback,
        )


def pack_answer(
    run: ActiveRun,
    said: GuardedAnswer,
    *,
    request: ChatRequest,
    cost_before: Decimal | None,
    encode: Callable[[ChatRequest], bytes],
) -> ModelStep:
    """Return the record of the call that the run has just made."""
    response, shown, cost = said.visible, said.visible.message, run.cost
    if shown is not said.message:
        response = replace(response, message=said.message)
    return ModelStep(
        response=response,
        shown=None if shown is said.message else shown,
        checked=said.checked,
        model=run.model_name,
        vendor_model=run.vendor_model,
        provider=run.provider,
        cost=cost if cost is None or cost_before is None else cost - cost_before,
        repeatable=run.repeatable,
        attempts=run.attempts_of_last_call,
        request=run.recorder.name_request(request, history=run.history_sent, encode=encode),
    )


async def restore_answer(run: ActiveRun, streams: bool, asked: ModelStep) -> GuardedAnswer:  # noqa: FBT001 -- bound by `partial`
    """Return the answer of an earlier life, and count it."""
    shown = asked.shown or asked.response.message
    run.model_name, run.vendor_model = asked.model, asked.vendor_model
    run.provider, run.repeatable = asked.provider, run.repeatable and asked.repeatable
    run.add_cost(asked.cost)
    if streams and shown.text:
        if run.caller is None or not run.has_own_reader:
            run.handed_out.append(shown.text)  # readers got it in an earlier life
        elif (room := run.hand_out(shown.text)) is not None:  # that of a component is of this one
            await room
    return GuardedAnswer(
        message=asked.response.message,
        visible=replace(asked.response, message=shown),
        checked=asked.checked,
    )
