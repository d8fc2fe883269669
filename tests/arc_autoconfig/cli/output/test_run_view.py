"""Runs are shown as they go on."""

import pytest

from arc_autoconfig.cli.output.run_view import RunView
from arc_core import (
    AgentErrorCode,
    AgentEvent,
    AgentHandedOff,
    AgentResult,
    ContextCompacted,
    ReasoningDelta,
    RunFinished,
    TextDelta,
    TokenUsage,
    ToolCall,
    ToolCallFinished,
    ToolCallProgress,
    ToolCallStarted,
    ToolOutcome,
    ToolResult,
)

STARTED = ToolCallStarted(ToolCall("1", "calculate", '{"expression": "1"}'))
SUCCESS = RunFinished(AgentResult(success=True, content="answer"))


def shown(capsys: pytest.CaptureFixture[str], *events: AgentEvent) -> tuple[str, str]:
    """Standard output and standard error after these events."""
    view = RunView()
    for event in events:
        view.show(event)
    captured = capsys.readouterr()
    return captured.out, captured.err


def finished(content: str, outcome: ToolOutcome = ToolOutcome.SUCCESS) -> ToolCallFinished:
    """The end of a tool call."""
    return ToolCallFinished(ToolResult("1", "calculate", content, outcome), duration_ms=1.26)


def test_runs_of_other_agents_are_not_shown(capsys: pytest.CaptureFixture[str]) -> None:
    """Only that which has begun first."""
    first, other = RunFinished(SUCCESS.result, "1"), RunFinished(SUCCESS.result, "2")
    begun = TextDelta("Yes", "1"), TextDelta("No", "2")

    out, _ = shown(capsys, *begun, other, first)

    assert out == "Yes\n"


def test_the_answer_goes_to_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    """Piece by piece, with an end of line and nothing else."""
    assert shown(capsys, TextDelta("an"), TextDelta("swer"), SUCCESS) == ("answer\n", "")


def test_an_answer_that_ends_its_line_gets_no_second(capsys: pytest.CaptureFixture[str]) -> None:
    """No blank line is added."""
    assert shown(capsys, TextDelta("answer\n"), SUCCESS) == ("answer\n", "")


def test_tool_calls_go_to_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    """When they start with arguments, when they end with time and result."""
    out, err = shown(capsys, STARTED, finished("1"))

    assert out == ""
    assert err == '→ calculate {"expression": "1"}\n✓ calculate (1.3 ms) 1\n'


def test_progress_goes_to_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    """A line for each report, with the share if it is known."""
    reports = ToolCallProgress("1", "3 of 10\npages", 0.3), ToolCallProgress("1", "nearly there")

    assert shown(capsys, *reports) == ("", "· 3 of 10 pages (30%)\n· nearly there\n")


def test_a_failed_tool_call_is_marked(capsys: pytest.CaptureFixture[str]) -> None:
    """By its sign, not only by a colour."""
    assert shown(capsys, finished("Error: no", ToolOutcome.FAILED))[1].startswith("✗ calculate")


def test_cached_tokens_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    """On standard error, if the vendor has read any from its cache."""
    usage = TokenUsage(1200, 30, cached_tokens=1000)
    result = AgentResult(success=True, content="answer", token_usage=usage)

    out, err = shown(capsys, TextDelta("answer"), RunFinished(result))

    assert (out, err) == ("answer\n", "1000 of 1200 prompt tokens were cached\n")


def test_text_before_a_tool_call_ends_its_line(capsys: pytest.CaptureFixture[str]) -> None:
    """The text of the next turn does not stick to it."""
    out, _ = shown(capsys, TextDelta("Let me see."), STARTED, TextDelta("It is 1."), SUCCESS)

    assert out == "Let me see.\nIt is 1.\n"


def test_a_long_result_is_cut(capsys: pytest.CaptureFixture[str]) -> None:
    """One line per event, however much a tool says."""
    lines = shown(capsys, finished("word\n" * 10_000))[1].splitlines()

    assert len(lines) == 1
    assert len(lines[0]) == 160


def test_a_failure_is_told_on_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    """What was said before stays, and the line ends."""
    failure = AgentResult(
        success=False, error_code=AgentErrorCode.TIMEOUT, error_message="It took too long."
    )

    out, err = shown(capsys, TextDelta("Half"), RunFinished(failure))

    assert (out, err) == ("Half\n", "Error: It took too long. (TIMEOUT)\n")


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ("\x1b]0;title\x07\x1b[31mred", "\\x1b]0;title\\x07\\x1b[31mred"),
        ("a\r\nb\x9bc\x7f", "a\nb\\x9bc\\x7f"),
        ("\u202egnp.exe", "\\u202egnp.exe"),
        ("tab\tand\nline, 한글 😀", "tab\tand\nline, 한글 😀"),
    ],
)
def test_control_characters_do_not_reach_a_terminal(
    *, text: str, safe: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """What a model or a tool says cannot move the cursor or set the title: it is written out."""
    assert shown(capsys, TextDelta(text))[0] == safe
    assert "\x1b" not in shown(capsys, finished(text))[1]


def test_a_thought_is_one_line_on_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    """Its pieces are put together, and it is there before what follows it."""
    thoughts = (ReasoningDelta("Hm,\nlet"), ReasoningDelta(" me see."))

    out, err = shown(capsys, *thoughts, STARTED, ReasoningDelta("So."), TextDelta("1"), SUCCESS)

    assert out == "1\n"
    assert err.splitlines() == ["… Hm, let me see.", '→ calculate {"expression": "1"}', "… So."]


def test_a_long_thought_is_folded(capsys: pytest.CaptureFixture[str]) -> None:
    """However much a model thinks, and a blank thought is none."""
    pieces = [ReasoningDelta("word ")] * 10_000

    [line] = shown(capsys, *pieces, SUCCESS)[1].splitlines()

    assert len(line) == 160
    assert shown(capsys, ReasoningDelta(" \n"), SUCCESS) == ("", "")


def test_who_takes_over_is_told_aside(capsys: pytest.CaptureFixture[str]) -> None:
    """What follows is the other agent's."""
    out, err = shown(capsys, AgentHandedOff("billing"), TextDelta("Yes."))

    assert (out, err) == ("Yes.", "→ billing\n")


@pytest.mark.parametrize(
    ("cleared", "dropped", "done"),
    [
        (3, 1, "3 results cleared, 1 exchange left out"),
        (1, 0, "1 result cleared"),
        (0, 2, "2 exchanges left out"),
    ],
)
def test_room_that_was_made_in_a_window_is_told_in_a_line(
    cleared: int, dropped: int, done: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """On standard error, with the tokens before and after."""
    compacted = ContextCompacted(cleared, dropped, tokens_before=128_000, tokens_after=61_500)

    out, err = shown(capsys, compacted)

    assert out == ""
    assert err == f"⤓ room was made in the window, 128,000 to 61,500 tokens: {done}\n"
