"""The ids of runs: each tenant has a space of its own, as it has for sessions.

A run whose id was chosen by a caller of a tenant is kept under an id that has the tenant in it. Its
callers know it by the id that they chose, and operators by the one under which it is kept.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256
from typing import Any

from arc_core.errors import ConfigurationError
from arc_core.events import (
    AgentEvent,
    AgentStarted,
    AnswerRequested,
    ApprovalRequested,
    LoginRequested,
    RunFinished,
)
from arc_core.requests import Request
from arc_core.result import AgentResult
from arc_core.runs.store import RunSummary

_MAX_CHARS = 200
_DIGITS = 16
_OF_A_TENANT = re.compile(rf"t[0-9a-f]{{{_DIGITS}}}~")


class RunIds:
    """The ids of the runs of one tenant, as it knows them and as they are kept."""

    def __init__(self, tenant_id: str | None) -> None:
        self._prefix = ""
        if tenant_id is not None:
            digest = sha256(tenant_id.encode("utf-8", "surrogatepass")).hexdigest()
            self._prefix = f"t{digest[:_DIGITS]}~"

    def candidates(self, run_id: str) -> Sequence[str]:
        """Return the ids under which a run may be kept, that of an id that was chosen first."""
        return (f"{self._prefix}{run_id}", run_id) if self._prefix else (run_id,)

    def choose(self, run_id: str) -> str:
        """Return the id under which a new run is kept; refuses what cannot be one."""
        kept = f"{self._prefix}{run_id}"
        if len(kept) > _MAX_CHARS or not kept.isprintable():
            raise ConfigurationError(
                "the id of a run is too long, or has characters that cannot be printed",
                remedy=f"make ids of at most {_MAX_CHARS - len(self._prefix)} letters and digits",
            )
        if not self._prefix and _OF_A_TENANT.match(run_id):
            raise ConfigurationError(
                "the id of a run begins as those of a tenant do",
                remedy="let it begin with another letter",
            )
        return kept

    def known_as(self, run_id: str) -> str:
        """Return the id by which callers of the tenant know a run."""
        return run_id.removeprefix(self._prefix)

    def request(self, request: Request) -> Request:
        """Return a request with the id that callers know."""
        return replace(request, run_id=self.known_as(request.run_id))

    def summary(self, found: RunSummary) -> RunSummary:
        """Return what is known of a run with the id that callers know."""
        requests = tuple(map(self.request, found.requests))
        result = None if found.result is None else self.rename_in(found.result)
        run_id = self.known_as(found.run_id)
        return replace(found, run_id=run_id, requests=requests, result=result)

    def rename_in(self, result: AgentResult[Any]) -> AgentResult[Any]:
        """Return a result with the id that callers know."""
        waiting = tuple(map(self.request, result.waiting))
        return replace(result, run_id=self.known_as(result.run_id), waiting=waiting)

    def event(self, event: AgentEvent) -> AgentEvent:
        """Return an event with the id that callers know."""
        if not self._prefix:
            return event
        changes: dict[str, Any] = {}
        if event.run_id.startswith(self._prefix):
            changes["run_id"] = self.known_as(event.run_id)
        match event:
            case AgentStarted(parent_run_id=str(parent)):
                changes["parent_run_id"] = self.known_as(parent)
            case (
                ApprovalRequested(request=request)
                | AnswerRequested(request=request)
                | LoginRequested(request=request)
            ):
                changes["request"] = self.request(request)
            case RunFinished(result=result):
                changes["result"] = self.rename_in(result)
        return replace(event, **changes) if changes else event
