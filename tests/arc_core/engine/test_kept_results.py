"""Results that are put aside: what the model is shown, and how it reads the rest."""

import asyncio
import errno
import re
from functools import partial
from typing import Any

import pytest

from arc_core import (
    AgentCommand,
    AgentResult,
    Allowed,
    GuardResult,
    Hook,
    ToolCall,
    ToolCallContext,
    ToolCallResult,
    ToolContext,
    ToolOutcome,
    ToolResultGuard,
    ToolResultMessage,
    ToolResultRequest,
    ToolRetry,
    tool,
)
from arc_core.engine import kept_results
from arc_core.engine.journal.recorder import RunRecorder
from arc_core.engine.kept_results import KeptResults, ReadResultTool
from arc_core.messages.content import Attachment
from arc_core.settings import AgentSettings
from arc_core.testing import ListConversationManager
from tests.arc_core.engine.long_runs import LongRun, calling, look, reading, settings

WINDOW = 100_000
LONG = 50_000


async def test_a_long_result_is_shown_in_part() -> None:
    """Its beginning and its end, with one line between them."""
    run = await LongRun([calling(LONG)], settings(WINDOW)).run()
    [shown] = run.results()

    assert len(shown) <= 2000
    assert shown.startswith("x x x")
    assert "[tool/0: 50 000 characters, 1 line; characters 1-1 160 and" in shown


async def test_a_result_that_is_shown_whole_is_the_same_as_before() -> None:
    """And nothing is offered for it."""
    run = await LongRun([calling(2000)], settings(WINDOW)).run()

    assert run.results() == ["x " * 1000]
    assert [each.name for each in run.requests[-1].tools] == ["look"]


async def test_the_tool_that_reads_results_comes_behind_all_others() -> None:
    """From the next request on, so that the tools change once."""
    run = await LongRun([calling(10), calling(LONG), calling(LONG)], settings(WINDOW)).run()

    names = [[each.name for each in request.tools] for request in run.requests]
    assert names == [["look"], ["look"], ["look", "read_result"], ["look", "read_result"]]


async def test_what_was_hidden_can_be_read_and_found() -> None:
    """By characters of a line, and by words."""

    @tool
    def report() -> str:
        """One long line with a fact in its middle."""
        return "lorem " * 9000 + "The badge is QX-771. " + "ipsum " * 9000

    script = [
        [ToolCall("1", "report", "{}")],
        reading(key="tool/0", lines="1:53995-1"),
        reading(find="badge"),
        reading(key="tool/0", find="badge"),
    ]
    run = await LongRun(script, settings(WINDOW), tools=(report,)).run()

    assert all("The badge is QX-771." in answer for answer in run.results()[1:])
    assert all(len(answer) <= 2000 for answer in run.results())


@pytest.mark.parametrize(
    ("arguments", "answer"),
    [
        ({"key": "tool/7", "lines": "1-2"}, "there is no result 'tool/7' in this run"),
        ({"key": "tool/7", "lines": "1-2"}, "there are: tool/0"),
        ({"key": "tool/0", "lines": "9-2"}, "no line 9"),
        ({"key": "tool/0", "find": ""}, "takes words"),
        ({"key": "tool/0"}, 'either key="tool/3" and lines'),
        ({"lines": "1-2"}, "either key"),
        ({"key": "tool/0", "lines": "1", "find": "x"}, "either key"),
        ({"key": "../etc", "lines": "1"}, "there is no result"),
        ({"key": ""}, "there is no result ''"),
    ],
)
async def test_a_wrong_question_gets_the_right_ones(arguments: dict[str, str], answer: str) -> None:
    """In a result that the model reads, and the run goes on."""
    run = await LongRun([calling(LONG), reading(**arguments)], settings(WINDOW)).run()

    assert answer in run.results()[-1]


async def test_a_run_reads_its_own_results_only() -> None:
    """The same key of a run before, and of one that goes on, has nothing to do with it."""
    run = LongRun([calling(LONG, mark="secret"), "Done.", calling(LONG), reading(find="secret")],
                  settings(WINDOW))  # fmt: skip
    await run.run(session_id="s")
    await run.run(session_id="s")

    assert run.results()[-1] == "[none of these words is in tool/0]"


class KeepsCalls(ListConversationManager):
    """Keeps the calls of a run with their results, as `conversation.keep_tool_calls` does."""

    async def save_streaming_history(
        self, command: AgentCommand, content: str, result: AgentResult | None = None
    ) -> None:
        """Append all that the run has added."""
        del command, content
        assert result is not None
        self.messages += result.messages


async def test_a_session_names_no_keys_of_earlier_runs() -> None:
    """They would mean other results; and from then on its requests begin alike."""
    script = [calling(LONG), reading(key="tool/0", lines="1:30001-1"), reading(find="x"), "Seen."]
    run = LongRun([*script, "Yes.", "No."], settings(WINDOW), conversation_manager=KeepsCalls())
    for _ in range(3):
        await run.run(session_id="s")

    first, second, third = (run.requests[number] for number in (3, 4, 5))
    assert "tool/0" in run.results(3)[0]
    assert not [each for each in run.results(4) if "tool/0" in each or "read_result" in each]
    assert [each[:50] for each in run.results(4)] != [each[:50] for each in run.results(3)]
    assert len(second.messages) == len(first.messages) + 2
    assert third.messages[: len(second.messages)] == second.messages


async def test_a_history_of_the_caller_names_no_keys_of_earlier_runs() -> None:
    """What it has of a result stays as it is otherwise."""
    run = LongRun([calling(LONG), "Seen.", "Yes."], settings(WINDOW))
    await run.run()
    assert run.result is not None
    await run.run(conversation_history=run.result.messages)

    [before], [after] = run.results(1), run.results(2)
    assert "tool/0" in before
    assert re.sub(r"\[tool/0: (.*?shown); .*\]", r"[\1]", before) == after


async def test_answers_of_reading_are_not_put_aside_again() -> None:
    """They are shown whole, however much is shown of others."""
    script = [calling(LONG), *[reading(key="tool/0", lines="1-1")] * 3]
    run = await LongRun(script, settings(WINDOW)).run()

    assert [each.startswith("[tool/0, lines 1-1 of 1]") for each in run.results()[1:]] == [True] * 3


async def test_reading_counts_as_a_tool_call_only_above_its_limit() -> None:
    """So that a model that reads much still has its calls."""
    config = settings(WINDOW, max_reads=3).model_copy(update={"max_tool_calls": 3})
    script = [calling(LONG), *[reading(key="tool/0", lines="1")] * 3, calling(10), calling(10)]
    run = await LongRun(script, config).run()

    assert run.requests[-2].tool_choice == "auto"
    assert run.requests[-1].tool_choice == "none"


class Watching(Hook):
    """Remembers the tools that were called."""

    def __init__(self) -> None:
        self.seen: list[tuple[str, str]] = []

    async def after_tool_call(self, context: ToolCallContext, result: ToolCallResult) -> None:
        """Remember one."""
        self.seen.append((context.tool_name, result.content))


class Masking(ToolResultGuard):
    """Masks what is secret."""

    async def check(self, request: ToolResultRequest) -> GuardResult:
        """Mask it."""
        return Allowed(request.text.replace("hunter2", "*******"))


async def test_guards_and_hooks_see_reading_as_any_call() -> None:
    """And what is kept is what the guards have let through."""
    hook = Watching()
    script = [calling(LONG, mark="hunter2"), reading(key="tool/0", lines="1:30001-1")]
    run = await LongRun(
        script, settings(WINDOW), hooks=(hook,), tool_result_guards=(Masking(),)
    ).run()

    assert [name for name, _ in hook.seen] == ["look", "read_result"]
    assert not any("hunter2" in text for text in (*run.results(), hook.seen[1][1]))


async def test_a_tool_of_the_same_name_goes_first() -> None:
    """As of all tools, the first of a name is offered."""

    @tool(name="read_result")
    def mine(key: str) -> str:
        """Read something else."""
        return f"mine of {key}"

    script = [calling(LONG), reading(key="a")]
    run = await LongRun(script, settings(WINDOW), tools=(look, mine)).run()

    assert run.results()[-1] == "mine of a"


async def test_no_more_is_kept_than_may_be() -> None:
    """And the line says so."""
    config = settings(WINDOW, keep_result_chars=10_000)
    run = await LongRun([calling(LONG), reading(key="tool/0", lines="1:9990-1")], config).run()

    assert "[tool/0: the first 10 0" in run.results()[0]
    assert "[Output truncated: 10000 of 50000 characters]" in run.results()[0]


async def test_the_oldest_results_go_to_a_file_and_are_read_from_there() -> None:
    """Memory has a bound, and nothing is lost over it."""
    config = settings(WINDOW, keep_run_chars=60_000)
    script = [calling(LONG, mark=mark) for mark in ("one", "나", "three")]
    script += [reading(key=f"tool/{number}", lines="1:30001-1") for number in range(3)]
    run = await LongRun(script, config).run()

    for answer, mark in zip(run.results()[3:], ("one", "나", "three"), strict=True):
        assert f"{mark} {mark} {mark}" in answer


async def test_other_work_goes_on_while_a_result_is_written() -> None:
    """However long it is; results that end at the same time are written one after the other."""
    settings = AgentSettings.model_validate({"context": {"keep_run_chars": 0}})
    kept, turns = KeptResults(settings, RunRecorder), 0
    texts = [mark * 3_000_000 for mark in "ab"]
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(kept.keep(f"tool/{i}", text)) for i, text in enumerate(texts)]
        while not all(task.done() for task in tasks):
            turns += 1
            await asyncio.sleep(0)

    assert turns > 20
    assert [await kept.read(key) for key in kept.keys] == texts
    kept.close()


async def test_a_full_disk_costs_the_oldest_result_and_nothing_else(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The model is told that it is not there any more."""

    def refuse(**_: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(kept_results, "TemporaryFile", refuse)
    config = settings(WINDOW, keep_run_chars=60_000)
    script = [calling(LONG), calling(LONG), reading(key="tool/0", lines="1"), reading(find="x")]
    run = await LongRun(script, config).run()

    assert "tool/0 could not be kept" in run.results()[2]
    assert run.results()[3].startswith("[tool/1]")


async def test_a_disk_that_fills_up_does_not_end_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """However little was to be written; what is still in memory is read as before."""
    full = partial(open, "/dev/full", "r+b")
    monkeypatch.setattr(kept_results, "TemporaryFile", lambda *, buffering, **_: full(buffering))
    script = [*[calling(3000)] * 3, reading(key="tool/1", lines="1"), reading(find="x")]
    run = await LongRun(script, settings(WINDOW, keep_run_chars=4000)).run()

    assert run.result is not None
    assert run.result.success
    assert "tool/1 could not be kept" in run.results()[3]
    assert run.results()[4].startswith("[tool/2]")


async def test_attachments_stay_beside_the_part_that_is_shown() -> None:
    """Their texts are one."""
    image = Attachment("image/png", data=b"\x89PNG\r\n\x1a\n")

    @tool
    def scan() -> list[object]:
        """A page and its text."""
        return ["word " * 5000, image]

    run = await LongRun([[ToolCall("1", "scan", "{}")]], settings(WINDOW), tools=(scan,)).run()
    message = run.requests[-1].messages[-1]
    assert isinstance(message, ToolResultMessage)
    assert message.results[0].content[1:] == (image,)
    assert "[tool/0: 25 000 characters" in message.results[0].text


@pytest.mark.parametrize("value", [b"\xff\xfe" * 5000, "", "\udc80" * 5000, "x" * 4_000_000])
async def test_whatever_a_tool_returns_the_run_goes_on(value: object) -> None:
    """Bytes, nothing, half characters, and one line of four megabytes."""

    @tool
    def strange() -> object:
        """Return something."""
        return value

    script = [[ToolCall("1", "strange", "{}")], reading(key="tool/0", lines="1")]
    run = await LongRun(script, settings(WINDOW), tools=(strange,)).run()

    assert run.result is not None
    assert run.result.success
    assert all(len(each) <= 2000 for each in run.results())


async def test_a_program_that_calls_a_tool_gets_its_result_cut() -> None:
    """No model could read the rest, so nothing is put aside."""
    run = LongRun([], settings(WINDOW))
    call = ToolCall("1", "look", '{"size": 60000}')
    result = await run.agent.call_tool(call, AgentCommand(user_prompt=""))

    assert result.outcome is ToolOutcome.SUCCESS
    assert result.text.endswith("[Output truncated: 50000 of 60000 characters]")


async def test_none_of_a_thousand_guessed_keys_reads_another_run() -> None:
    """Neither plain ones, nor those of a caller or a delegate, nor what is not a key at all."""
    secret = KeptResults(AgentSettings(), RunRecorder)
    own = KeptResults(AgentSettings(), RunRecorder)
    for number in range(300):
        await secret.keep(f"tool/{number}", "hunter2")
    await own.keep("tool/0", "mine")
    reads = ReadResultTool(own, settings=AgentSettings())
    forms = ("tool/{}", "tool/0/tool/{}", "../tool/{}", "other-run/tool/{}", "{}")
    context = ToolContext(run_id="r", call_id="c", user_id="ann")

    for number in range(1, 201):
        for form in forms:
            with pytest.raises(ToolRetry, match="there is no result"):
                await reads.call({"key": form.format(number), "find": "hunter2"}, context)


async def test_results_are_searched_in_the_order_of_their_calls() -> None:
    """Calls of one turn end in any order, and a run that goes on elsewhere must read the same."""
    answers = set()
    for keys in (("tool/2", "tool/10"), ("tool/10", "tool/2")):
        kept = KeptResults(AgentSettings(), RunRecorder)
        for key in keys:
            await kept.keep(key, "the same badge of Keller")
        reads = ReadResultTool(kept, settings=AgentSettings())
        context = ToolContext(run_id="r", call_id="c", user_id="ann")
        answers.add(await reads.call({"find": "badge"}, context))

    [answer] = answers
    assert answer.index("tool/2") < answer.index("tool/10")
