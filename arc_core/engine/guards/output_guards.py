"""The way out: every output guard must let leave what a model has said."""

import re
from collections.abc import Collection, Sequence
from dataclasses import replace

from arc_core.command import ResponseFormat
from arc_core.engine.boundary import policies
from arc_core.engine.boundary.boundary import Boundary, Failed, is_said_beside, read_attribute
from arc_core.engine.run_state import ActiveRun, RunStoppedError, get_run_facts
from arc_core.errors import AgentErrorCode, ConfigurationError
from arc_core.interfaces.guards.output_guard import OutputGuard, OutputGuardRequest
from arc_core.log import get_logger
from arc_core.messages import AssistantMessage, Reasoning, ToolCall
from arc_core.messages.attachments import replace_text
from arc_core.text.cleaning import end_to_show

logger = get_logger("output_guards")


_CONTEXT_CHARS = 128
"""Of what has left, so that a guard sees what stands before what it looks at."""

_GIVE_IT_A_WINDOW = (
    "give it 0 for every piece on its own, a number of characters, or None for the whole answer"
)


class OutputGuards:
    """Asks the output guards in order; fails closed: each check may end the run, see `check`.

    Attributes:
        window_chars: How much of the end of a text that goes on is held back; None is all of it.
        context_chars: How much of what has left already the guards see before it; 0 if all of them
            look at each piece on its own.

    Raises:
        ConfigurationError: A guard asks for a window that cannot be held back, or cannot tell it.
    """

    def __init__(self, guards: Sequence[OutputGuard], *, boundary: Boundary) -> None:
        window_of = {id(guard): _read_window(guard) for guard in guards}
        windows = set(window_of.values())
        widest = max((window for window in windows if window is not None), default=0)
        self.context_chars = max(widest, _CONTEXT_CHARS) if windows - {0} else 0
        self.window_chars = None if None in windows else widest
        self._guards = tuple(guards)
        self._searching = tuple(each for each in guards if window_of[id(each)] is not None)
        self._boundary = boundary

    def __bool__(self) -> bool:
        """Return True if there are any; without one, nothing is held back or looked at."""
        return bool(self._guards)

    async def check(
        self, run: ActiveRun, text: str, *, is_final: bool = True, released_chars: int = 0
    ) -> str:
        """Return the text that may leave in place of another.

        Args:
            run: Whose model has said it.
            text: With the end of what has left already before it.
            is_final: Whether nothing follows.
            released_chars: How much of it has left already; the result begins with that.

        Raises:
            RunStoppedError: A guard rejects, fails, or replaces what has left already.
        """
        if not text:
            return text
        released = text[:released_chars]
        request = _request(run, text, is_final=is_final, released_chars=released_chars)
        for guard in self._guards:
            if text is not request.text:
                request = _request(run, text, is_final=is_final, released_chars=released_chars)
            text = await self._ask(guard, request)
            if not text.startswith(released):
                logger.info(
                    "output guard replaces what has left already, and so rejects",
                    guard=type(guard).__name__,
                )
                raise RunStoppedError(AgentErrorCode.OUTPUT_REJECTED)
        return text

    async def check_end(
        self, run: ActiveRun, text: str, *, context_chars: int, released_chars: int
    ) -> str:
        """Return what may leave in place of a text that has ended, with what has left before it.

        Guards are asked about the text alone, which is what those that judge a whole answer expect,
        and then with its context, since a leak may be parted.
        """
        context, own = text[:context_chars], text[context_chars:]
        checked = await self.check(run, own, released_chars=released_chars - context_chars)
        if not context or not checked:
            return context + checked
        return await self.check(run, context + checked, released_chars=released_chars)

    async def check_turn(self, run: ActiveRun, text: str) -> str:
        """Return what may leave in place of the text of a whole turn.

        The guards see the end of what was said in the turns before it as well, and a document as a
        program would read it.
        """
        before = end_to_show(run.said or "", self.context_chars) if text else ""
        if run.command.response_format is ResponseFormat.TEXT:
            return await self._check_after(run, before, text)
        return await self._check_document(run, text, before=before)

    async def replace_ids(self, run: ActiveRun, message: AssistantMessage) -> AssistantMessage:
        """A message in which no id of a call is one that a guard keeps back; for its model as well.

        Only guards that look for something within a text are asked, and none that judges an answer.
        """
        calls = tuple(
            [
                await self._replace_id(run, call, place)
                for place, call in enumerate(message.tool_calls)
            ]
        )
        if calls == message.tool_calls:
            return message
        return replace(message, tool_calls=calls, vendor_content=None)  # it has the ids, too

    async def _replace_id(self, run: ActiveRun, call: ToolCall, place: int) -> ToolCall:
        if not self._searching or not call.id:
            return call
        request = _request(run, call.id, is_final=True, released_chars=0)
        for guard in self._searching:
            if await self._ask(guard, request) != call.id:
                return replace(call, id=f"call_{place}")
        return call

    async def check_message(
        self, run: ActiveRun, message: AssistantMessage, *, content: str, tools: Collection[str]
    ) -> AssistantMessage:
        """A message as everyone but its model may see it, with a content in the place of its text.

        The names of calls are looked at, too, but for those of tools on offer.
        """
        calls = tuple([await self._check_call(run, call, tools) for call in message.tool_calls])
        reasoning = tuple([await self._check_reasoning(run, each) for each in message.reasoning])
        if (content, calls, reasoning) == (message.text, message.tool_calls, message.reasoning):
            return message
        # The vendor's own content would bring back what was replaced.
        return AssistantMessage(replace_text(message.content, content), calls, reasoning)

    async def _check_after(self, run: ActiveRun, before: str, text: str) -> str:
        if not text:
            return text
        size = len(before)
        checked = await self.check_end(run, before + text, context_chars=size, released_chars=size)
        return checked[size:]

    async def _check_document(self, run: ActiveRun, text: str, *, before: str = "") -> str:
        plain = unescape(text)
        checked = await self._check_after(run, before, plain)
        return text if checked == plain else checked

    async def _check_call(self, run: ActiveRun, call: ToolCall, tools: Collection[str]) -> ToolCall:
        arguments = await self._check_document(run, call.arguments)
        name = call.name if call.name in tools else await self.check(run, call.name)
        if arguments == call.arguments and name == call.name:
            return call
        return ToolCall(call.id, name, arguments)

    async def _check_reasoning(self, run: ActiveRun, reasoning: Reasoning) -> Reasoning:
        text = await self.check(run, reasoning.text)
        return reasoning if text == reasoning.text else Reasoning(text)

    async def _ask(self, guard: OutputGuard, request: OutputGuardRequest) -> str:
        result = await self._boundary.ask_guard(policies.OUTPUT_GUARD, guard, request)
        if isinstance(result, str):
            return result
        if isinstance(result, Failed):
            raise RunStoppedError(AgentErrorCode.OUTPUT_REJECTED) from result.error
        logger.info(
            "output guard rejects", guard=type(guard).__name__, category=str(result.category)
        )
        raise RunStoppedError(AgentErrorCode.OUTPUT_REJECTED, result.reason or None)


def _request(
    run: ActiveRun, text: str, *, is_final: bool, released_chars: int
) -> OutputGuardRequest:
    context = run.hook_context
    return OutputGuardRequest(
        text=text,
        is_final=is_final,
        run_id=context.run_id,
        released_chars=released_chars,
        **get_run_facts(context),
    )


def _read_window(guard: OutputGuard) -> int | None:
    window = read_attribute(
        guard, "window_chars", kind="output guard", default=None, remedy=_GIVE_IT_A_WINDOW
    )
    if window is None or (type(window) is int and window >= 0):
        if window is None or is_said_beside(guard, "window_chars", method="check"):
            return window
        logger.warning(
            "an output guard has a check of its own and the window_chars of another class, so that "
            "the whole answer is held back; window_chars beside its check says what it must see",
            guard=type(guard).__name__,
        )
        return None
    raise ConfigurationError(
        f"the output guard {type(guard).__name__} cannot hold back {window!r} characters",
        evidence=["that is its window_chars"],
        remedy=_GIVE_IT_A_WINDOW,
    )


_HIGH, _LOW = "u[dD][89abAB][0-9a-fA-F]{2}", "u[dD][c-fC-F][0-9a-fA-F]{2}"
_ESCAPE = re.compile(
    rf"\\(?:({_HIGH}\\{_LOW})|u([0-9a-fA-F]{{4}})|x([0-9a-fA-F]{{2}})|U([0-9a-fA-F]{{8}})"
    r"|\r?\n[ \t]*|.)",
    re.DOTALL,
)
_PAIR_BEGINNING = re.compile(rf"\\{_HIGH}\Z")
_BEGINNING = re.compile(r"\\(?:u[0-9a-fA-F]{0,3}|x[0-9a-fA-F]?|U[0-9a-fA-F]{0,7}|\r)?\Z")
_LINE_BREAK = re.compile(r"\\\r?\n[ \t]*\Z")
_PLAIN = {"\\/": "/", "\\ ": " "}
_LAST = 0x10FFFF


def unescape(text: str) -> str:
    """The same document, in which letters stand for themselves.

    Quotes, backslashes, control characters and single halves of pairs stay as they are. What only
    YAML knows as an escape stands in no JSON document.
    """
    return _ESCAPE.sub(_plain, text) if "\\" in text else text


class Unescaper:
    """Does the same with a document that comes in pieces."""

    def __init__(self) -> None:
        self._rest = ""
        self._is_indentation = False

    def add(self, piece: str) -> str:
        """Return the part of the document that is now known to be whole, and was not before."""
        if self._is_indentation:
            piece = piece.lstrip(" \t")
        if not piece:
            return ""
        text = self._rest + piece
        place = _find_escape(_PAIR_BEGINNING, text, end=_find_escape(_BEGINNING, text))
        self._is_indentation = _find_escape(_LINE_BREAK, text) < len(text)
        text, self._rest = text[:place], text[place:]
        return unescape(text)

    def finish(self) -> str:
        """Return the rest of a document that breaks off in an escape."""
        rest, self._rest = self._rest, ""
        return unescape(rest)


def _plain(escape: re.Match[str]) -> str:
    if (pair := escape[1]) is not None:
        high, low = int(pair[1:5], 16), int(pair[7:], 16)
        return chr(0x10000 + (high - 0xD800) * 0x400 + (low - 0xDC00))
    digits = escape[2] or escape[3] or escape[4]
    if digits is None:
        is_line_break = escape[0][1] in "\r\n" and "\n" in escape[0]
        return "" if is_line_break else _PLAIN.get(escape[0], escape[0])
    code = int(digits, 16)
    is_needed = code < 0x20 or code in (0x22, 0x5C) or 0xD800 <= code <= 0xDFFF or code > _LAST
    return escape[0] if is_needed else chr(code)


def _find_escape(last: re.Pattern[str], text: str, *, end: int | None = None) -> int:
    """Return the index of the escape that a text ends in; its end if it ends in none of a kind."""
    end = len(text) if end is None else end
    if (found := last.search(text, 0, end)) is None:
        return end
    place = found.start()
    backslashes = place - len(text[:place].rstrip("\\"))
    return end if backslashes % 2 else place
