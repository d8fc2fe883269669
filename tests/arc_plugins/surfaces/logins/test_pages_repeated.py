"""A login can be made again, if the runs that wait for it could not go on at once."""

from arc_core import Decision, Logger
from arc_plugins.journals.in_memory.journals import InMemoryRunJournals
from tests.arc_plugins.surfaces.logins.served_logins import (
    ANN,
    Place,
    browser,
    cookie_of,
    serving_logins,
)


class DownOnce(InMemoryRunJournals):
    """Journals whose database is down when they are first told of a decision."""

    def __init__(self, *, logger: Logger) -> None:
        super().__init__(logger=logger)
        self._is_down = True

    async def decide(self, run_id: str, key: str, decision: Decision) -> None:
        """Let a run go on, but for the first time."""
        if self._is_down:
            self._is_down = False
            raise OSError("the database is down")
        await super().decide(run_id, key, decision)


async def log_in(place: Place, link: str) -> tuple[int, int]:
    """Log in by a link; the status of its button, and that of the callback."""
    async with browser() as client:
        begun = await client.post(link)
        if begun.status_code != 303:
            return begun.status_code, 0
        answer = place.server.log_in(begun.headers["location"])
        ended = await client.get(place.callback(answer), headers=cookie_of(begun))
        return begun.status_code, ended.status_code


async def test_a_login_is_repeated_if_its_runs_could_not_go_on() -> None:
    """Its link stays good until they do; then it is over."""
    async with serving_logins(DownOnce, backend="memory") as place:
        waiting = await place.app.execute("Act", user_id=ANN.user_id, tenant_id=ANN.tenant_id)
        link = await place.page()
        failed = await log_in(place, link)
        left = await place.app.waiting()
        repeated = await log_in(place, link)
        async with place.app.attach(waiting.run_id) as run:
            result = await run.result()
        over = await log_in(place, link)

    assert failed == (303, 503)
    assert [each.run_id for each in left] == [waiting.run_id]
    assert repeated == (303, 200)
    assert result.content == "Done."
    assert over == (410, 0)
