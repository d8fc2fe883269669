"""Shows a run as it goes on: the answer on standard output, everything else on standard error."""

import click

from arc_autoconfig.cli.failures import FAILED_RUN, WAITING_RUN
from arc_autoconfig.cli.output.request_lines import lines_about
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
