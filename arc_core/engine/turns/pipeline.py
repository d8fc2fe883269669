"""The stages a run passes between its admission and its end, in their order."""

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import replace
from difflib import get_close_matches
from functools import partial
from itertools import chain

from structlog.contextvars import bind_contextvars

from arc_core.command import AgentMode, ResponseFormat, question_of
from arc_core.engine.agents.agent_profiles import AgentProfiles
from arc_core.engine.answer import FinalAnswer
from arc_core.engine.caching.response_caching import AnswerOrigin
from arc_core.engine.context.requests import retrieved_context, system_prompt
from arc_core.engine.context.window import ConversationWindow, Histories
from arc_core.engine.guards.input_guards import Admitted
from arc_core.engine.journal.records import EntryStep, HandoverStep
from arc_core.engine.journal.step_forms import ENTERED, HANDED_OVER, PackedForm
from arc_core.engine.run_limits import tool_call_limit
from arc_core.engine.run_state import ActiveRun, RunStoppedError
from arc_core.engine.tools.tool_inventory import find_instructions
from arc_core.engine.turns.collaborators import Collaborators
from arc_core.engine.turns.turn_loop import Prepared, TurnLoop
from arc_core.errors import AgentErrorCode
from arc_core.events import AgentHandedOff
from arc_core.interfaces.guards.response_filter import ResponseFilterContext
from arc_core.interfaces.tools.tool import Tool
from arc_core.log import get_logger
from arc_core.messages import (
    AssistantMessage,
    Message,
    ToolCall,
    ToolOutcome,
    ToolResultMessage,
    UserMessage,
)
from arc_core.messages.retrieved_context import put_before
from arc_core.runs.journal import RunSuspended
from arc_core.settings import RagPlace, Trim

logger = get_logger("pipeline")

_NO_STRUCTURED_STREAMS = "JSON and YAML answers cannot be streamed; use execute() for them."

_MAX_SHOWN_CHARS = 100


class Pipeline:
    """From an admitted run to its answer; every stage may end the run."""

    def __init__(self, parts: Collaborators, *, profiles: AgentProfiles) -> None:
        self._parts, self._profiles, self._settings = parts, profiles, parts.settings
        self._histories = Histories(parts.costs)
        self._turns = TurnLoop(parts, hand_over=self._hand_over)

    async def answer(self, run: ActiveRun, deadline: asyncio.Timeout) -> FinalAnswer:
        """Return the answer for the caller, filtered, as far as output guards let it leave.

        Raises:
            RunStoppedError: A stage ends the run.
            RunSuspended: The run has a journal, and is not to go on here.
            Exception: What the chat model raised last.
        """
        run.deadline = deadline
        if run.command.agent is not None and not self._profiles.knows(run.command):
            await self._refuse_agent(run)  # in each life: it may be gone since the last one
        if run.command.tool_call is not None:
            return await self._call_tool(run, run.command.tool_call)
        prepared = await run.recorder.step(
            "enter",
            partial(self._admit_and_prepare, run),
            PackedForm(ENTERED, partial(pack_entry, run), partial(self._prepare_again, run)),
        )
        caching = self._parts.response_caching
        if not caching.serves(run):
            answer = await self._turns.answer(run, prepared)
            return await self._leave(run, answer)
        return await caching.answer(
            run,
            await self._turns.first_request(run, prepared),
            origin=AnswerOrigin(
                ask=lambda: self._turns.answer(run, prepared),
                read=lambda kept: self._parts.structured_output.take_kept(run, kept),
                leave=lambda answer: self._leave(run, answer),
            ),
        )

    async def _call_tool(self, run: ActiveRun, call: ToolCall) -> FinalAnswer:
        """Return the text of the result of a call, which a program makes in the place of a model.

        Such a run has no prompt to guard, no conversation, and no model to pay.
        """
        hooks = self._parts.hooks

        async def restore(entered: EntryStep) -> None:
            restore_start(run, entered)
            await hooks.before_agent_resume(run.hook_context)

        await run.recorder.step(
            "enter",
            lambda: hooks.before_agent_start(run.hook_context),
            PackedForm(ENTERED, partial(pack_call_entry, run, call), restore),
        )
        run.keeps_results = False  # there is no model that could ask for the rest
        offered = {tool.name: tool for tool in self._parts.callable_tools.list()}
        (result,) = await self._parts.tool_calls.run(run, [call], offered=offered, limit=1)
        run.messages += (AssistantMessage("", (call,)), ToolResultMessage((result,)))
        if result.outcome is not ToolOutcome.SUCCESS:
            raise RunStoppedError(AgentErrorCode.TOOL_ERROR, result.text)
        return FinalAnswer(content=result.text)

    async def _admit_and_prepare(self, run: ActiveRun) -> Prepared:
        tools, recorder = self._parts.user_tools, run.recorder
        may_ask = tools.has_sources and tools.are_used_by(run)
        if may_ask or (recorder.has_events and await self._was_admitted(run)):
            admitted = PackedForm(
                ENTERED, partial(pack_admission, run), partial(self._admit_again, run)
            )
            await recorder.step("admit", partial(self._admit, run), admitted)
            await tools.learn(run)
        else:
            await self._admit(run)
        return await self._prepare(run)

    async def _was_admitted(self, run: ActiveRun) -> bool:
        """Return True if a run was let in before, and has waited for a login."""
        return await run.recorder.find("admit", ENTERED) is not None

    async def _admit_again(self, run: ActiveRun, admitted: EntryStep) -> None:
        """Restore what was let in in an earlier attempt."""
        restore_entry(run, admitted)
        await self._parts.hooks.before_agent_resume(run.hook_context)

    async def _prepare_again(self, run: ActiveRun, entered: EntryStep) -> Prepared:
        """Restore what `_prepare` has made in an earlier attempt."""
        await self._admit_again(run, entered)
        if self._parts.user_tools.has_sources:
            await self._parts.user_tools.learn(run, may_ask=False)
        tools = self._parts.tool_selection.restore(run, entered.tools)
        prepared = self._make_prepared(
            run,
            history=entered.history,
            in_system=entered.context,
            beside=entered.beside,
            system_prompt=entered.system_prompt,
            tools=tools,
        )
        return replace(prepared, has_lost_tools=bool(entered.tools) and not tools)

    async def _refuse_agent(self, run: ActiveRun) -> None:
        """Leave or end a run whose agent is not there.

        Raises:
            RunSuspended: There was when the run was let in.
            RunStoppedError: There never was.
        """
        run.has_agent = False
        is_entered = await run.recorder.find("enter", ENTERED) is not None
        if is_entered or await self._was_admitted(run):
            raise RunSuspended(problem=f"its agent {run.agent!r} is not there")
        asked, known = run.agent[:_MAX_SHOWN_CHARS], ", ".join(self._profiles.names)
        raise RunStoppedError(
            AgentErrorCode.INVALID_INPUT, f"There is no agent {asked!r}; agents: {known}."
        )

    async def _admit(self, run: ActiveRun) -> None:
        self._check_command(run)
        if run.command.attachments:
            await self._parts.resources.read(run)
        self._parts.attachments.check(run)
        admitted = await self.ask_guards(run)
        if self._settings.guard.forward_normalized:
            run.go_on_with(admitted.prompt, admitted.attachments)
        await self._parts.hooks.before_agent_start(run.hook_context)
        run.passed_hooks = True

    def _check_command(self, run: ActiveRun) -> None:
        """See that a command can be answered by the agent that it is for now."""
        is_document = run.command.response_format is not ResponseFormat.TEXT
        if run.streaming and is_document and not run.streams_documents:
            raise RunStoppedError(AgentErrorCode.INVALID_RESPONSE, _NO_STRUCTURED_STREAMS)
        self._parts.billing.check_run(run)

    async def _prepare(self, run: ActiveRun) -> Prepared:
        command, rag = run.command, self._settings.rag
        history = self._parts.attachments.fit_history(run, await self._parts.history.load(run))
        documents = await self._parts.retrieval.retrieve(command)
        context = retrieved_context(
            documents, costs=self._parts.costs, max_tokens=rag.max_context_tokens
        )
        in_system, beside = (context, "") if rag.place is RagPlace.SYSTEM else ("", context)
        prompt, tools = await self._prepare_agent(run, in_system)
        return self._make_prepared(
            run,
            history=history,
            in_system=in_system,
            beside=beside,
            system_prompt=prompt,
            tools=tools,
        )

    def _make_prepared(
        self,
        run: ActiveRun,
        *,
        history: Sequence[Message],
        in_system: str,
        beside: str,
        system_prompt: str,
        tools: tuple[Tool, ...],
    ) -> Prepared:
        command, shown = run.command, run.hook_context.user_prompt
        question = question_of(command)
        is_cut_in_steps = bool(command.session_id) and not command.conversation_history
        is_cut_in_steps = is_cut_in_steps and self._settings.conversation.trim is Trim.STEPS
        run.messages.append(UserMessage(shown) if run.is_prompt_hidden else question)
        return Prepared(
            system_prompt=system_prompt,
            context=in_system,
            beside=beside,
            history=history,
            conversation=ConversationWindow(
                self._histories.read(history),
                UserMessage(put_before(question.content, beside)) if beside else question,
                costs=self._parts.costs,
                in_steps=is_cut_in_steps,
            ),
            is_question_kept=bool(command.session_id) and not beside,
            tools=tools,
        )

    async def _system_prompt(self, run: ActiveRun, context: str) -> str:
        command = run.command
        instructions = command.system_prompt
        if instructions is None and command.agent is None:
            instructions = self._settings.llm.system_prompt
        elif instructions is None:
            instructions = await self._parts.agent_functions.write_instructions(run)
        return system_prompt(command, instructions=instructions, context=context)

    async def _hand_over(self, run: ActiveRun, prepared: Prepared) -> Prepared:
        """The same conversation for the agent that takes over."""
        agent = run.hands_over_to
        assert agent is not None
        run.hand_over(self._profiles.switch(run.command, agent))
        bind_contextvars(agent=agent)
        self._check_command(run)

        async def restore(recorded: HandoverStep) -> Prepared:
            if self._parts.user_tools.has_sources:
                await self._parts.user_tools.learn(run, may_ask=False)
            tools = self._parts.tool_selection.restore(run, recorded.tools)
            return replace(prepared, system_prompt=recorded.system_prompt, tools=tools)

        return await run.recorder.step(
            f"hand_over/{len(run.handoffs)}",
            partial(self._prepare_other, run, prepared),
            PackedForm(HANDED_OVER, pack_handover, restore),
        )

    async def _prepare_other(self, run: ActiveRun, prepared: Prepared) -> Prepared:
        """Prepare the requests of the agent that has taken over, once the user has logged in."""
        if self._parts.user_tools.has_sources:
            await self._parts.user_tools.learn(run)
        await run.emit(AgentHandedOff(run.agent))
        return await self.prepare_again(run, prepared)

    async def prepare_again(self, run: ActiveRun, prepared: Prepared) -> Prepared:
        """Return the same conversation with the prompt and the tools of the agent that answers."""
        prompt, tools = await self._prepare_agent(run, prepared.context)
        return replace(prepared, system_prompt=prompt, tools=tools)

    async def ask_guards(self, run: ActiveRun) -> Admitted:
        """Return the prompt and the files of a run as the guards let them in."""
        return await self._parts.guards.admit(run)

    async def _prepare_agent(self, run: ActiveRun, context: str) -> tuple[str, tuple[Tool, ...]]:
        """Return the system prompt and the tools of the agent that answers."""
        prompt, tools = await self._system_prompt(run, context), tuple[Tool, ...]()
        command, selection = run.command, self._parts.tool_selection
        if command.mode is not AgentMode.STANDARD:
            tools = await selection.prepare(run)
        limit = tool_call_limit(command, allowed=self._settings.max_tool_calls)
        usable = tools if limit else ()
        search = selection.find_search(usable) if selection.has_search else None
        check_tools(run, usable, found_later=() if search is None else search.tools)
        self._parts.agent_functions.require_deps_of_check(run)
        if search is not None and search.catalogue:
            prompt = f"{prompt}\n\n{search.catalogue}".lstrip()
        if selection.inventory.sources:
            found = usable if search is None else (*usable, *search.tools.values())
            prompt = "\n\n".join([prompt, *find_instructions(found)]).lstrip()
        return prompt, tools

    async def _leave(self, run: ActiveRun, answer: FinalAnswer) -> FinalAnswer:
        """Return an answer as the caller gets it."""
        if not run.is_heard and self._settings.response.filters_enabled:
            answer = await self._filter(run, answer)
        guards = self._parts.output_guards
        if not guards or answer.checked == answer.content:
            return answer
        checked = await guards.check_turn(run, answer.content)
        if checked == answer.content:
            return answer
        run.repeatable = False  # what was replaced is not to be kept for others
        return await self._reread(run, answer, checked, failing=AgentErrorCode.OUTPUT_REJECTED)

    async def _filter(self, run: ActiveRun, answer: FinalAnswer) -> FinalAnswer:
        context = ResponseFilterContext(
            command=run.command, tools_used=tuple(run.tools_used), duration_ms=run.duration_ms
        )
        content = await self._parts.response_filters.apply(answer.content, context)
        if content == answer.content:
            return answer
        return await self._reread(run, answer, content, failing=AgentErrorCode.INVALID_RESPONSE)

    async def _reread(
        self, run: ActiveRun, answer: FinalAnswer, content: str, *, failing: AgentErrorCode
    ) -> FinalAnswer:
        """The answer with another text, and with the value that this has."""
        if not content.strip():
            raise RunStoppedError(AgentErrorCode.INVALID_RESPONSE)
        changed = await self._parts.structured_output.read(
            replace(answer, content=content), run.command, run.scope.deps
        )
        if changed is None:
            logger.error("what was changed in the answer has left none of the form asked for")
            raise RunStoppedError(failing)
        return changed


def check_tools(run: ActiveRun, tools: Sequence[Tool], *, found_later: Iterable[str] = ()) -> None:
    """Refuse a run that cannot do what it is asked to by its tools, or those that it finds later.

    Raises:
        RunStoppedError: INVALID_INPUT; a tool needs deps that the run was not given, or the command
            demands a tool call that cannot be.
    """
    choice = run.command.tool_choice
    if choice is not None and choice != "auto":
        _check_choice(choice, [tool.name for tool in tools])
    missing = run.scope.find_missing(chain((tool.name for tool in tools), found_later))
    if missing is not None:
        raise RunStoppedError(AgentErrorCode.INVALID_INPUT, missing.message)


def _check_choice(choice: str, names: Sequence[str]) -> None:
    if not names:
        problem = f"tool_choice is '{choice}', and the run offers no tools"
        remedy = "leave it out, or check the mode, max_tool_calls and which tools there are"
    elif choice == "none":
        problem = "tool_choice cannot be 'none'"
        remedy = "use AgentMode.STANDARD for a run without tools"
    elif choice != "required" and choice not in names:
        problem = f"tool_choice is '{choice}', and no tool of this name is on offer"
        close = get_close_matches(choice, names, n=1)
        remedy = f"did you mean '{close[0]}'?" if close else "write auto, required, or its name"
    else:
        return
    raise RunStoppedError(AgentErrorCode.INVALID_INPUT, f"{problem}: {remedy}")


def pack_entry(run: ActiveRun, prepared: Prepared) -> EntryStep:
    """Return the record of a run that was let in."""
    return EntryStep(
        prompt=run.command.user_prompt,
        system_prompt=prepared.system_prompt,
        context=prepared.context,
        beside=prepared.beside,
        history=tuple(prepared.history),
        history_available=run.history_available,
        tools=tuple([tool.name for tool in prepared.tools]),
        attachment_bytes=run.attachment_bytes,
        attachments=run.command.attachments if run.has_other_files else None,
        started_at=run.hook_context.started_at,
        wiring=run.recorder.name_wiring(),
    )


def pack_admission(run: ActiveRun, _: None) -> EntryStep:
    """Return the record of a run that was let in, and is not prepared yet."""
    return EntryStep(
        prompt=run.command.user_prompt,
        system_prompt="",
        attachment_bytes=run.attachment_bytes,
        attachments=run.command.attachments if run.has_other_files else None,
        started_at=run.hook_context.started_at,
    )


def restore_entry(run: ActiveRun, entered: EntryStep) -> None:
    """Go on with what an earlier life has let in."""
    given = run.command.attachments
    run.go_on_with(entered.prompt, given if entered.attachments is None else entered.attachments)
    restore_start(run, entered)
    run.passed_hooks = True
    run.history_available = entered.history_available
    run.attachment_bytes = entered.attachment_bytes


def pack_handover(prepared: Prepared) -> HandoverStep:
    """Return the record of what another agent has taken over."""
    names = tuple(tool.name for tool in prepared.tools)
    return HandoverStep(system_prompt=prepared.system_prompt, tools=names)


def restore_start(run: ActiveRun, entered: EntryStep) -> None:
    """Let a run have begun when its first life did."""
    run.hook_context = replace(run.hook_context, started_at=entered.started_at)
    run.scope.now = entered.started_at


def pack_call_entry(run: ActiveRun, call: ToolCall, _: None) -> EntryStep:
    """Return the record of a run that was let in, and is one call of a tool."""
    return EntryStep(
        prompt="",
        system_prompt="",
        tools=(call.name,),
        started_at=run.hook_context.started_at,
        wiring=run.recorder.name_wiring(),
    )
