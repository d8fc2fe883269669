"""Shows a run as it goes on: the answer on standard output, everything else on standard error."""

import json
import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import click

from arc_autoconfig.cli.failures import FAILED_RUN, WAITING_RUN
from arc_autoconfig.visible_text import visible
from arc_core.events import (
    AgentEvent,
    AgentHandedOff,
    AgentStarted,
    ContextCompacted,
    ReasoningDelta,
    RunFinished,
    TextDelta,
    ToolCallFinished,
    ToolCallProgress,
    ToolCallStarted,
    TurnRestarted,
)
from arc_core.messages import ToolOutcome
from arc_core.requests import Approve, Decision, LoginRequest, QuestionRequest, Request
from arc_core.result import AgentResult

_MAX_LINE_CHARS = 160
_MAX_THOUGHT_CHARS = 1000


class RunView:
    """Writes the events of one run."""

    def __init__(self, run_id: str | None = None, *, outlives_process: bool = True) -> None:
        self._is_line_open = False
        self._thought = ""
        self._run_id, self._outlives_process = run_id, outlives_process

    def show(self, event: AgentEvent) -> None:
        """Write one event at once; what the model thinks as one line, when it has thought it."""
        if self._run_id is None:
            self._run_id = event.run_id
        if event.run_id != self._run_id or isinstance(event, AgentStarted):
            return
        if isinstance(event, ReasoningDelta):
            if len(self._thought) <= _MAX_THOUGHT_CHARS:
                self._thought += event.text
            return
        self._show_thought()
        if isinstance(event, TextDelta):
            self._write(event.text)
        else:
            self._show_aside(event)

    def _show_aside(self, event: AgentEvent) -> None:
        match event:
            case ToolCallStarted(call):
                self._aside(f"→ {call.name} {call.arguments}")
            case ToolCallProgress(message=message, fraction=fraction):
                share = "" if fraction is None else f" ({fraction:.0%})"
                self._aside(f"· {message}{share}")
            case ToolCallFinished(result, duration_ms):
                is_good = result.outcome is ToolOutcome.SUCCESS
                sign, colour = ("✓", "green") if is_good else ("✗", "red")
                line = f"{sign} {result.name} ({duration_ms:.1f} ms) {result.text}"
                self._aside(line, colour=colour)
            case RunFinished(result):
                self._finish(result)
            case AgentHandedOff(agent):
                self._aside(f"→ {agent}")
            case ContextCompacted():
                self._aside(f"⤓ {_describe(event)}")
            case TurnRestarted():
                self._aside("↻ the process has ended that asked; what it had of the answer is void")

    def _show_thought(self) -> None:
        thought, self._thought = self._thought, ""
        if thought.strip():
            self._aside(f"… {thought}")

    def end_line(self) -> None:
        """Begin a new line, unless one has just begun."""
        if self._is_line_open:
            self._write("\n")

    def _write(self, text: str) -> None:
        # The two halves of a Windows line end may come in two pieces.
        click.echo(visible(text.replace("\r", "")), nl=False)
        self._is_line_open = not text.endswith("\n")

    def _aside(self, text: str, *, colour: str | None = None) -> None:
        self.end_line()
        line = visible(" ".join(text.split()))
        if len(line) > _MAX_LINE_CHARS:
            line = f"{line[: _MAX_LINE_CHARS - 1]}…"
        click.secho(line, err=True, fg=colour, dim=colour is None)

    def _finish(self, result: AgentResult) -> None:
        self.end_line()
        for line in lines_about(result.waiting, outlives_process=self._outlives_process):
            click.secho(visible(line, one_line=True), err=True, fg="yellow")
        if not (result.success or result.waiting):
            message = visible(result.error_message or "")
            click.secho(f"Error: {message} ({result.error_code})", err=True, fg="red")
        usage = result.token_usage
        if usage is not None and usage.cached_tokens:
            self._aside(f"{usage.cached_tokens} of {usage.prompt_tokens} prompt tokens were cached")


def _describe(event: ContextCompacted) -> str:
    """Return what was done to make room, in a line."""
    room = f"{event.tokens_before:,} to {event.tokens_after:,} tokens"
    done = [
        f"{_count(event.cleared, 'result')} cleared" if event.cleared else "",
        f"{_count(event.dropped, 'exchange')} left out" if event.dropped else "",
    ]
    return f"room was made in the window, {room}: {', '.join(filter(None, done))}"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'s' * (number != 1)}"


def get_exit_code(result: AgentResult) -> int:
    """Return the exit code of a command that has shown a run."""
    if result.success:
        return 0
    return WAITING_RUN if result.waiting else FAILED_RUN


_MAX_FIELDS = 20


def describe_request(request: Request) -> str:
    """Return what is asked, in a line."""
    match request:
        case QuestionRequest():
            return f"{request.tool} asks: {' '.join(request.text.split())}"
        case LoginRequest():
            scopes = f" ({', '.join(request.scopes)})" if request.scopes else ""
            whose = f"a login of {people_for(request)}"
            return f"{request.tool} needs {whose} at {request.service}{scopes}"
    return f"{request.tool} {_write(request.arguments)}"


def people_for(request: Request) -> str:
    """Return who has to decide yet, in words."""
    if isinstance(request, QuestionRequest | LoginRequest):
        return f"the user {request.user_id}" if request.user_id else "the user"
    left = request.people - len(request.approvals)
    group = f" of {' or '.join(request.deciders)}" if request.deciders else ""
    if left > 1:
        return f"{left} people{group}"
    return f"{'another' if request.approvals else 'a'} person{group}"


def lines_about(requests: Sequence[Request], *, outlives_process: bool = True) -> Iterator[str]:
    """The lines about requests that wait, and the commands that decide about them."""
    for request in requests:
        summary = f": {request.summary}" if request.summary else ""
        until = f", until {request.until.isoformat()}" if request.until else ""
        is_call = not isinstance(request, QuestionRequest | LoginRequest)
        where = f" waits for {people_for(request)}" if is_call else ""
        yield f"{describe_request(request)}{where}{until}{summary}"
        for each in request.approvals:
            yield f"  {each.by} has approved it{_show_arguments(each)}"
        if isinstance(request, QuestionRequest):
            yield from _describe_fields(request.schema)
        if outlives_process:
            key = f" {shlex.quote(request.key)}" if len(requests) > 1 else ""
            yield from lines_to_decide(request, key=key)
    if requests and not outlives_process:
        yield "It cannot be decided: the run ends with this process. Set durable.enabled."


def lines_to_decide(request: Request, *, key: str) -> Iterator[str]:
    """The address to open, if there is one, and the commands, with a key or without."""
    run_id = shlex.quote(request.run_id)
    match request:
        case LoginRequest():
            yield f"  log in at {request.url}"
        case QuestionRequest():
            if request.url is not None:
                yield f"  open {request.url}"
            yield f"  arc runs answer {run_id}{key} --values {_write_example(request.schema)}"
        case _:
            yield f"  arc runs approve {run_id}{key}"
    yield f"  arc runs deny {run_id}{key} --reason …"


def _show_arguments(decision: Decision) -> str:
    changed = decision.answer.arguments if isinstance(decision.answer, Approve) else None
    return "" if changed is None else f" with {_write(changed)}"


def _describe_fields(schema: Mapping[str, Any]) -> Iterator[str]:
    """The fields of an answer, a line each."""
    fields, required = _read_fields(schema), schema.get("required", ())
    for name, field in list(fields.items())[:_MAX_FIELDS]:
        facts = [str(field["type"])] if "type" in field else []
        facts += [f"one of {_write(field['enum'])}"] if "enum" in field else []
        facts += ["required"] if name in required else []
        facts += [f"default {_write(field['default'])}"] if "default" in field else []
        about = [str(field[key]) for key in ("title", "description") if key in field]
        yield " ".join(f"  {name}: {', '.join([*facts, *about])}".split("\n"))
    if len(fields) > _MAX_FIELDS:
        yield f"  and {len(fields) - _MAX_FIELDS} more fields"


def _write_example(schema: Mapping[str, Any]) -> str:
    """Return what an answer begins with, so that only the values have to be filled in."""
    names = [*schema.get("required", ())] or list(_read_fields(schema))[:1]
    example = ", ".join(f"{json.dumps(name, ensure_ascii=False)}: …" for name in names)
    return shlex.quote(f"{{{example}}}")


def _read_fields(schema: Mapping[str, Any]) -> Mapping[str, Mapping[str, Any]]:
    """Return the properties of a schema; those that say nothing, as `true`, as empty."""
    fields: Mapping[str, Any] = schema.get("properties", {})
    return {name: each if isinstance(each, Mapping) else {} for name, each in fields.items()}


def _write(value: object) -> str:
    plain = dict(value) if isinstance(value, Mapping) else value
    return json.dumps(plain, ensure_ascii=False, default=str)
