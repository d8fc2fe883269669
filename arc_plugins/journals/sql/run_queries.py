"""Reads where a run is."""

import json
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import Connection, Select, and_, func, or_, select

from arc_core import DEFAULT_AGENT, AgentCommand, AgentResult, Request
from arc_core.errors import FormError
from arc_core.forms import from_json
from arc_core.runs.journal import RecordedStep, Recording, RunHistory
from arc_core.runs.requests import select_requests
from arc_core.runs.store import RunPage, RunQuery, RunState, RunSummary
from arc_core.runs.summaries import RunPosition
from arc_plugins.journals.sql.approval_store import open_requests
from arc_plugins.journals.sql.references import (
    FINISH_KEY,
    Records,
    change_messages,
    named_by_messages,
    read_parts,
    read_records,
)
from arc_plugins.journals.sql.run_store import FINISHED, read_run
from arc_plugins.journals.sql.tables import (
    HELD_KEY,
    IS_HELD,
    LAYOUTS,
    WRAPPED_KEY,
    approvals,
    events,
    find_hold_problem,
    from_moment,
    runs,
    steps,
    to_moment,
)

_COLUMNS = (
    runs.c.run_id, runs.c.layout, runs.c.state, runs.c.queue, runs.c.tenant, runs.c.command,
    runs.c.created_at, runs.c.finished_at, runs.c.result,
)  # fmt: skip


_AT_ONCE = 100
_MOST_READS = 20


def list_runs(
    connection: Connection,
    *,
    state: RunState | None,
    limit: int | None,
    requests: Mapping[str, str] | None = None,
) -> Sequence[RunSummary]:
    """The newest runs, newest first, as `RunStore.list` has them."""
    found = _select_newest(state).limit(limit)
    if requests is not None:
        return _list_asking(connection, found, requests)
    rows = connection.execute(found).all()
    return [replace(_summary(connection, row, _cut_messages), result=None) for row in rows]


def search_runs(connection: Connection, *, query: RunQuery) -> RunPage:
    """Return a page of the newest runs that a query wants.

    It looks at a bounded number of runs: a page may have less than asked for, and more behind it.
    """
    found, place = _narrow(_select_newest(query.state), query), query.after
    query, page = replace(query, after=None), list[RunSummary]()  # the database knows its order
    for _ in range(_MOST_READS):
        behind = found if place is None else found.where(_is_behind(place))
        rows = connection.execute(behind.limit(_AT_ONCE)).all()
        for row in rows:
            if query.is_about(run := _describe(row)):
                run = replace(_summary(connection, row, _cut_messages), result=None)
                if query.matches(run):
                    page.append(run)
            if len(page) > query.limit:
                return query.cut(page)
            place = RunPosition(run.since, run.run_id)
        if len(rows) < _AT_ONCE:
            return RunPage(runs=tuple(page))
    return RunPage(runs=tuple(page), next=place)


def _select_newest(state: RunState | None) -> Select[*tuple[Any, ...]]:
    found = select(*_COLUMNS).order_by(runs.c.created_at.desc(), runs.c.run_id)
    if state is RunState.INCOMPATIBLE:
        return found.where(runs.c.layout.not_in(LAYOUTS))
    if state is not None:
        kept_as = RunState.QUEUED if state is RunState.HELD else state
        found = found.where(runs.c.layout.in_(LAYOUTS), runs.c.state == kept_as.value)
    if state in {RunState.HELD, RunState.QUEUED}:
        found = found.where(IS_HELD if state is RunState.HELD else ~IS_HELD)
    return found


def _narrow(found: Select[*tuple[Any, ...]], query: RunQuery) -> Select[*tuple[Any, ...]]:
    """Leave out what the database knows not to be wanted; more is found out of each run."""
    if query.tenant_id is not None:
        found = found.where(runs.c.tenant == query.tenant_id)
    if query.since is not None:
        found = found.where(runs.c.created_at >= to_moment(query.since))
    if query.until is not None:
        found = found.where(runs.c.created_at < to_moment(query.until))
    if query.has_failed is not None or query.min_cost is not None:
        found = found.where(runs.c.state != RunState.QUEUED.value)
    if query.user_id:
        found = found.where(_says("user_id", query.user_id))
    if query.agent not in {None, DEFAULT_AGENT}:
        found = found.where(_says("agent", query.agent))
    return found


def _is_behind(place: RunPosition) -> Any:
    moment = to_moment(place.since)
    return or_(
        runs.c.created_at < moment, and_(runs.c.created_at == moment, runs.c.run_id > place.run_id)
    )


def _says(name: str, value: str | None) -> Any:
    """Of the text of a command: whether it has a field of this value, or a prompt that says so."""
    written = json.dumps(value, ensure_ascii=False)
    return runs.c.command.contains(f'"{name}":{written}', autoescape=True)


def _list_asking(
    connection: Connection, found: Select[*tuple[Any, ...]], filters: Mapping[str, str]
) -> Sequence[RunSummary]:
    """The runs for which people have to decide, by what they have asked alone."""
    asked = open_requests(connection, run_id=filters.get("run_id"))
    by_run = defaultdict[str, list[Request]](list)
    for each in select_requests(asked, filters):
        by_run[each.run_id].append(each)
    asking = select(approvals.c.run_id).where(approvals.c.decision.is_(None))
    rows = connection.execute(found.where(runs.c.run_id.in_(asking))).all() if by_run else ()
    return [
        replace(_describe(row), state=RunState(row.state), requests=tuple(by_run[row.run_id]))
        for row in rows
        if row.run_id in by_run
    ]


def find_run(connection: Connection, *, run_id: str) -> RunSummary:
    """One run, with its result and the messages of that."""
    last = select(func.max(events.c.last)).where(events.c.run_id == run_id)
    row = read_run(connection, run_id, *_COLUMNS, last.scalar_subquery().label("last_seq"))

    def read_messages(text: str) -> str:
        records = read_records(connection, run_id, named_by_messages(text))
        return change_messages(text, records.restore)

    return replace(_summary(connection, row, read_messages), last_seq=row.last_seq or 0)


def read_history(connection: Connection, *, run_id: str) -> RunHistory:
    """Return how a run came to where it is."""
    row = read_run(connection, run_id, runs.c.ticket, runs.c.crashes)
    recorded = (
        select(steps.c.key, steps.c.at)
        .where(steps.c.run_id == run_id)
        .order_by(steps.c.at, steps.c.key)
    )
    return RunHistory(
        attempts=row.ticket,
        deaths=row.crashes,
        steps=tuple(
            RecordedStep(key=key, ended_at=from_moment(at))
            for key, at in connection.execute(recorded)
        ),
    )


def read_recording(connection: Connection, *, run_id: str, digest_key: bytes) -> Recording:
    """Return all that the steps of a run have recorded, and the parts that they name."""
    row = read_run(connection, run_id, runs.c.command, runs.c.layout)
    its = select(steps.c.key, steps.c.value).where(steps.c.run_id == run_id)
    rows = connection.execute(its.order_by(steps.c.at, steps.c.key))
    texts = {key: value for key, value in rows}  # noqa: C416 -- typed
    records = Records(texts)
    return Recording(
        run_id=run_id,
        command=from_json(row.command, AgentCommand),
        layout=row.layout,
        steps={key: records.text(key) for key in texts if key not in _MARKS},
        parts=read_parts(connection, run_id),
        digest_key=digest_key,
    )


_MARKS = frozenset((HELD_KEY, WRAPPED_KEY))
"""The keys of what stands among the steps of a run without being one."""


def running_in(
    connection: Connection, *, session_id: str, user_id: str | None, tenant_id: str | None
) -> str | None:
    """The newest run of a conversation that has no end yet."""
    found = (
        select(runs.c.run_id, runs.c.command)
        .where(runs.c.state != FINISHED, runs.c.tenant == tenant_id)
        .where(runs.c.layout.in_(LAYOUTS))
        .where(_says("session_id", session_id))
        .order_by(runs.c.created_at.desc())
    )
    for run_id, text in connection.execute(found):
        command = _command(text)  # a prompt may say the same words
        if command is not None and (command.session_id, command.user_id) == (session_id, user_id):
            return str(run_id)
    return None


def _summary(connection: Connection, row: Any, prepare: Callable[[str], str]) -> RunSummary:
    """A run, with its end or where it is; the text of a result is prepared for reading."""
    summary, run_id = _describe(row), row.run_id
    if row.layout not in LAYOUTS:
        return replace(summary, state=RunState.INCOMPATIBLE)
    if row.state == FINISHED:
        step = select(steps.c.value).where(steps.c.run_id == run_id, steps.c.key == FINISH_KEY)
        text: str = connection.scalars(step).one() if row.result is None else row.result
        result = from_json(prepare(text), AgentResult)
        return replace(summary, error_code=result.error_code, cost=result.cost, result=result)
    state = RunState(row.state)
    if state is RunState.QUEUED and (problem := find_hold_problem(connection, run_id)) is not None:
        return replace(summary, state=RunState.HELD, problem=problem)
    if state is RunState.QUEUED:
        return replace(summary, state=state)
    requests = tuple(open_requests(connection, run_id=run_id))  # one may wait while others go on
    so_far: AgentResult | None = None
    if state is RunState.WAITING and row.result is not None:
        so_far = from_json(prepare(row.result), AgentResult)
    cost = None if so_far is None else so_far.cost
    return replace(summary, state=state, requests=requests, cost=cost, result=so_far)


def _describe(row: Any) -> RunSummary:
    """A run, as one that has ended."""
    command = _command(row.command) or AgentCommand(user_prompt="")
    return RunSummary(
        run_id=row.run_id,
        state=RunState.FINISHED,
        agent=command.agent or "default",
        user_id=command.user_id or "",
        tenant_id=row.tenant,
        queue=row.queue,
        since=from_moment(row.created_at),
        finished_at=None if row.finished_at is None else from_moment(row.finished_at),
        layout=row.layout,
        session_id=command.session_id,
    )


def _cut_messages(text: str) -> str:
    return change_messages(text, lambda _: [])


def _command(text: str) -> AgentCommand | None:
    """Read a command; None if only another version of Arc can read it."""
    try:
        return from_json(text, AgentCommand)
    except FormError:
        return None
