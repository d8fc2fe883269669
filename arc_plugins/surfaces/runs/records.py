"""The runs that a caller may see as a list, and the steps of each, masked.

What is served: `GET /api/runs`, `GET /api/runs/{id}/steps`, `GET /api/runs/{id}/steps/{name}`. Each
answer has an `ETag`, so that a reader who asks again gets 304 as long as nothing is new.
"""

import json
from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from hashlib import sha256
from typing import Annotated, Any

from pydantic import AwareDatetime, BeforeValidator, Field
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from arc_core import ConfigurationError, Runs, RunState, ServedApplication, ServedRecord
from arc_core.runs.store import RunQuery, RunSummary
from arc_core.runs.summaries import RunPosition
from arc_core.serving import Problem, StrictFields, caller_of, read_as
from arc_plugins.surfaces.runs.forms import make_request_form

_MAX_LIMIT = 200
_MAX_CHARS = 20_000
"""Of each text in the answer for all steps; the answer for one step has it whole."""

_TEXTS = ("text", "arguments")
_NOT_RECORDED = (
    "The steps of runs are not recorded here; set durable.enabled = true, or make the application "
    "with Application(record=True)."
)


def _read_place(text: str) -> RunPosition:
    """Read what `_write_place` has written, or raise a `ValueError`."""
    moment, separator, run_id = text.partition("~")
    try:
        since = datetime.fromisoformat(moment)
    except ValueError:
        since = None
    if since is None or since.tzinfo is None or not separator:
        raise ValueError("it is not the place that `next` of an answer has named")
    return RunPosition(since, run_id)


class RunListFields(StrictFields):
    """The filters of a list of runs, from the query of its address."""

    state: RunState | None = None
    has_failed: bool | None = Field(default=None, alias="failed")
    agent: str | None = None
    user_id: str | None = None
    tenant_id: str | None = None
    since: AwareDatetime | None = None
    until: AwareDatetime | None = None
    min_cost: Decimal | None = Field(default=None, ge=0, allow_inf_nan=False)
    after: Annotated[RunPosition, BeforeValidator(_read_place)] | None = None
    limit: int = Field(default=50, ge=1, le=_MAX_LIMIT)


class RecordEndpoints:
    """Answers callers with the right to see records."""

    def __init__(self, application: ServedApplication) -> None:
        self._runs, self._records = application.runs, application.records

    @property
    def routes(self) -> list[BaseRoute]:
        """The routes of all of it."""
        steps = "/api/runs/{run_id}/steps"
        return [
            Route("/api/runs", self.list_runs, methods=["GET"]),
            Route(steps, self.show_steps, methods=["GET"]),
            Route(f"{steps}/{{name:path}}", self.show_step, methods=["GET"]),
        ]

    async def list_runs(self, request: Request) -> Response:
        """Answer with the newest runs, and with what is to be asked for those behind them."""
        asked = read_as(dict(request.query_params), RunListFields)
        runs = self._runs.for_caller(caller_of(request))
        page = await runs.search(RunQuery(**dict(asked)))
        body = {
            "runs": [_make_entry(each, runs) for each in page.runs],
            "next": None if page.next is None else _write_place(page.next),
        }
        version = sha256(json.dumps(body).encode()).hexdigest()
        return _answer_if_new(request, version) or _answer(body, version)

    async def show_steps(self, request: Request) -> Response:
        """Answer with a run as a timeline, in which long texts are cut."""
        record = await self._find(request)
        if (same := _answer_if_new(request, record.version)) is not None:
            return same
        timeline = (await record.timeline()).to_dict()
        timeline["steps"] = [_cut(each) for each in timeline["steps"]]
        timeline["prompt"] = timeline["prompt"][:_MAX_CHARS]
        runs = self._runs.for_caller(caller_of(request))
        return _answer({"run": _make_entry(record.summary, runs), **timeline}, record.version)

    async def show_step(self, request: Request) -> Response:
        """Answer with one step whole."""
        name = request.path_params["name"]
        record = await self._find(request)
        found = await record.step(name)
        if found is None:
            raise Problem(404, "not_found", f"The run has no step {name!r}.")
        return Response(found, media_type="application/json")

    async def _find(self, request: Request) -> ServedRecord:
        run_id = request.path_params["run_id"]
        try:
            return await self._records.find(run_id, caller=caller_of(request))
        except ConfigurationError:
            if self._runs.is_recording:
                raise
            raise Problem(501, "not_recorded", _NOT_RECORDED) from None


def _make_entry(run: RunSummary, runs: Runs) -> dict[str, Any]:
    return {
        "run_id": run.run_id,
        "state": run.state.value,
        "agent": run.agent,
        "user_id": run.user_id,
        "tenant_id": run.tenant_id,
        "since": run.since.isoformat(),
        "finished_at": None if run.finished_at is None else run.finished_at.isoformat(),
        "error_code": None if run.error_code is None else run.error_code.value,
        "cost": None if run.cost is None else str(run.cost),
        "waiting": len(run.requests),
        "requests": [make_request_form(each, runs) for each in run.requests],
        "problem": run.problem,
    }


def _cut(step: Mapping[str, Any]) -> dict[str, Any]:
    """Return a step with the beginnings of its texts, and how many characters are left out."""
    left = {name: len(step[name]) - _MAX_CHARS for name in _TEXTS if len(step[name]) > _MAX_CHARS}
    return {**step, **{name: step[name][:_MAX_CHARS] for name in left}, "left_out": left}


def _answer(body: Mapping[str, Any], version: str) -> Response:
    return JSONResponse(body, headers={"etag": f'"{version}"', "cache-control": "no-cache"})


def _answer_if_new(request: Request, version: str) -> Response | None:
    """Return 304 if the reader has this version; None if it has not."""
    known = request.headers.get("if-none-match", "")
    return Response(status_code=304) if f'"{version}"' in known else None


def _write_place(place: RunPosition) -> str:
    return f"{place.since.isoformat()}~{place.run_id}"
