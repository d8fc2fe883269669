"""One object for a run, however it began: decided about, cancelled, read again."""

import pytest

from arc_autoconfig.errors import ApplicationStateError
from arc_core import AgentErrorCode, Approve, RunFinished
from arc_core.runs.run import Run
from tests.arc_autoconfig.runs.test_agent_application import PAY, application, end_of


async def test_a_run_that_waits_is_decided_by_the_object_that_reads_it() -> None:
    """Its `result` is that of the run that goes on then."""
    async with application([PAY], "Done.") as app:
        run_id = await app.submit("Pay 30.")
        async with app.attach(run_id) as run:
            waiting = await run.result()
            [request] = waiting.waiting
            await run.decide(request.key, Approve(), by="boss")
            result = await run.result()

    assert (run.id, request.run_id) == (run_id, run_id)
    assert (result.content, result.waiting) == ("Done.", ())


async def test_a_run_that_is_kept_is_read_from_any_place_as_often_as_wanted() -> None:
    """Each reading begins where it asks."""
    async with application("Hi.") as app:
        run_id = await app.submit("Hello")
        async with app.attach(run_id) as run:
            whole = [event.seq async for event in run.events()]
            rest = [event.seq async for event in run.events(after=whole[0])]
            text = [piece async for piece in run.text()]

    assert (rest, "".join(text)) == (whole[1:], "Hi.")


async def test_a_run_that_waits_is_cancelled_by_the_object_that_streams_it() -> None:
    """It has ended where it is streamed, and is kept until it is decided."""
    async with application([PAY]) as app:
        async with app.stream("Pay 30.") as run:
            await run.result()
        await run.cancel()
        result = await end_of(app, run.id)

    assert result.error_code is AgentErrorCode.CANCELLED


async def test_a_run_that_lives_only_here_is_cancelled_while_it_is_read() -> None:
    """Its readings end, and it has no result."""
    long = "More. " * 1_000  # of which the run keeps no more than hundreds for its reader
    async with application(long) as app, app.stream("Hello") as run:
        first = await anext(run.events())
        await run.cancel()
        with pytest.raises(ApplicationStateError, match="left before its end"):
            await run.result()

    assert not isinstance(first, RunFinished)


async def test_nothing_happens_to_a_finished_run_that_lives_only_here() -> None:
    """It was read to its end, and no store knows it."""
    async with application("Hi.") as app, app.stream("Hello") as run:
        result = await run.result()
        await run.cancel()

    assert (await run.result()) == result


async def test_a_kept_run_is_read_inside_its_block() -> None:
    """Before it is entered there is nothing to read; its id is known."""
    async with application("Hi.") as app:
        run: Run[object] = app.attach("r1")
        with pytest.raises(ApplicationStateError, match="not started"):
            run.text()

    assert run.id == "r1"
