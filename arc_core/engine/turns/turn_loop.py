"""The loop: ask the model, run the tools it calls, ask again, until it answers."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from arc_core.engine.answer import FinalAnswer, GuardedAnswer
from arc_core.engine.answers.structured_output import check_refusal, final_answer
from arc_core.engine.context.requests import PromptBreaks, chat_request
from arc_core.engine.context.window import ConversationWindow
from arc_core.engine.run_limits import is_at_limit, is_used_up, may_call_tool, tool_call_limit
from arc_core.engine.run_state import REFUSED_ONE_BY_ONE, ActiveRun, RunStoppedError
from arc_core.engine.turns.collaborators import Collaborators
from arc_core.errors import AgentErrorCode
from arc_core.interfaces.models.chat_model import ChatRequest, ToolChoice
from arc_core.interfaces.tools.tool import Tool
from arc_core.log import get_logger
from arc_core.messages import Message, ToolResultMessage
from arc_core.timing.cancellation import leave_if_cancelled

logger = get_logger("turns")


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """The inputs of the loop, as the stages before it have made them.

    Attributes:
        tools: On offer; empty for `AgentMode.STANDARD`.
        has_lost_tools: Whether some were on offer in an earlier life of the run, and none are left.
        context: What documents say, as far as it stands in the system prompt.
        beside: What documents say, as far as it stands before the question.
        history: What the conversation has begun with, oldest first.
        is_question_kept: Whether the session's next run sends the user message as this one does.
    """

    system_prompt: str
    conversation: ConversationWindow
    tools: Sequence[Tool]
    has_lost_tools: bool = False
    context: str = ""
    beside: str = ""
    history: Sequence[Message] = ()
    is_question_kept: bool = False


class TurnLoop:
    """The same turns for every entry point; only the model call knows of streaming."""

    def __init__(
        self,
        parts: Collaborators,
        *,
        hand_over: Callable[[ActiveRun, Prepared], Awaitable[Prepared]],
    ) -> None:
        self._parts, self._hand_over = parts, hand_over
        self._prompt_breaks = PromptBreaks()

    async def answer(self, run: ActiveRun, prepared: Prepared) -> FinalAnswer:
        """The model's last words, in the form that was asked for.

        What is not in that form, or is refused by the check of the agent, is answered once more, in
        turns of which a stream shows no text.

        Raises:
            RunStoppedError: The model refuses, says nothing or not what was asked for, or a hook
                fails the run.
            Exception: What the chat model raised last.
        """
        choice, is_repair = run.command.tool_choice or "auto", False
        while True:
            leave_if_cancelled()
            if run.hands_over_to is not None:
                prepared = await self._hand_over(run, prepared)
            limit = self._limit(run)
            tools = tuple(prepared.tools) if limit else ()
            if run.own_tools and limit:
                names = {tool.name for tool in tools}
                tools = (*tools, *(tool for tool in run.own_tools if tool.name not in names))
            calls_made = run.tool_calls_made - run.free_reads
            run.max_calls_of_turn = max(0, limit - calls_made) + REFUSED_ONE_BY_ONE
            is_last = self._begin_turn(run)
            may_call = bool(tools) or (prepared.has_lost_tools and limit > 0)
            may_call = may_call and calls_made < limit and not is_last
            may_call = may_call and may_call_tool(run)
            request = await self._request(
                run, prepared, tools=tools, choice=choice if may_call and tools else "none"
            )
            choice = "auto"  # what is demanded is demanded of the first turn
            self._prompt_breaks.report(request)
            streams = run.streaming and not is_repair
            guarded = await self._parts.model_call.ask(run, request, streams=streams)
            if not guarded.message.tool_calls or not may_call:
                answer = await self._take(run, prepared, guarded, is_repair=is_repair)
                if answer is not None:
                    return answer
                is_repair = True
                continue
            check_refusal(guarded.visible)
            await self._call_tools(run, prepared, guarded, tools=tools, limit=limit)

    async def _call_tools(
        self,
        run: ActiveRun,
        prepared: Prepared,
        guarded: GuardedAnswer,
        *,
        tools: tuple[Tool, ...],
        limit: int,
    ) -> None:
        message, shown = guarded.message, guarded.visible.message
        first_key = run.tool_calls_made
        results = await self._parts.tool_calls.run(
            run,
            message.tool_calls,
            shown=shown.tool_calls,
            offered={tool.name: tool for tool in tools},
            limit=limit,
        )
        result_message = ToolResultMessage(results)
        prepared.conversation.add_exchange(message, result_message, first_key=first_key)
        run.messages += (shown, result_message)

    async def _take(
        self, run: ActiveRun, prepared: Prepared, guarded: GuardedAnswer, *, is_repair: bool
    ) -> FinalAnswer | None:
        """The answer in what a model said; None if the conversation goes on to repair it."""
        answer = final_answer(run, guarded)
        taken = await self._parts.structured_output.take(run, answer)
        if isinstance(taken, FinalAnswer):
            return taken
        if is_repair:
            self._parts.structured_output.refuse(taken)
        exchange = self._parts.structured_output.ask_again(run, answer, taken)
        prepared.conversation.add_exchange(*exchange)
        return None

    async def first_request(self, run: ActiveRun, prepared: Prepared) -> ChatRequest:
        """Return the first request of `answer`; identical runs have the same."""
        tools = tuple(prepared.tools) if self._limit(run) else ()
        choice = run.command.tool_choice or "auto"
        return await self._request(run, prepared, tools=tools, choice=choice if tools else "none")

    def _begin_turn(self, run: ActiveRun) -> bool:
        """Count a turn within the limits, if any is left; True if only a last answer is."""
        if run.is_without_limits:
            return False
        if is_used_up(run):
            raise RunStoppedError(AgentErrorCode.LIMIT_REACHED)
        if is_at_limit(run):
            logger.info("a limit is reached, the model is asked for its last answer")
            return True
        run.count_model_call()
        return False

    def _limit(self, run: ActiveRun) -> int:
        return tool_call_limit(run.command, allowed=self._parts.settings.max_tool_calls)

    async def _request(
        self, run: ActiveRun, prepared: Prepared, *, tools: tuple[Tool, ...], choice: ToolChoice
    ) -> ChatRequest:
        model = self._parts.models.of(run.command)
        costs, llm = self._parts.costs, model.llm
        fixed = costs.of_system_prompt(prepared.system_prompt) + sum(map(costs.of_tool, tools))
        budget = llm.max_context_window_tokens - llm.max_output_tokens - fixed
        view = prepared.conversation.view(budget)
        if view.is_cut or run.recorder.is_replaying:
            view = await self._parts.compaction.fit(run, prepared.conversation, budget)
        run.dropped_messages, run.history_sent = view.dropped, view.history
        if view.dropped:
            logger.debug("messages over the context window are not sent", dropped=view.dropped)
        # Once a model has called tools it often does again, and then all that is sent comes again.
        # Before that, and if it may call none, the next request is that of the session's next run.
        stable = view.history + prepared.is_question_kept
        if choice != "none" and len(view.messages) > view.history + 1:
            stable = len(view.messages)
        request = chat_request(
            run.command,
            model,
            system_prompt=prepared.system_prompt,
            messages=view.messages,
            tools=tools,
            tool_choice=choice,
            stable_messages=stable,
        )
        run.estimate = request, fixed + view.tokens
        return request
