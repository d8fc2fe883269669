"""The requests to people of the runs that a store keeps."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields
from types import MappingProxyType

from arc_core.errors import InvalidDecisionError
from arc_core.requests import Answer, Approve, Deny, LoginRequest, Request
from arc_core.runs.store import RunStore, RunSummary

_LOGIN = "it waits for a login; open its url, which ends it, or deny it"
_REQUEST_FIELDS = frozenset(each.name for each in fields(Request))


async def find_requests(
    store: RunStore,
    filters: Mapping[str, str] = MappingProxyType({}),
    *,
    sees: Callable[[RunSummary], bool] = lambda _: True,
) -> Sequence[Request]:
    """Return the requests about which people have to decide, oldest first; refuses other fields."""
    if unknown := sorted(filters.keys() - _REQUEST_FIELDS):
        known = ", ".join(sorted(_REQUEST_FIELDS))
        raise TypeError(f"requests have no field {unknown[0]!r}; they have {known}")
    runs = await store.list(requests=filters, limit=None)
    found = (request for run in runs if sees(run) for request in run.requests)
    return sorted(found, key=lambda request: request.since)


def select_requests(requests: Iterable[Request], filters: Mapping[str, str]) -> tuple[Request, ...]:
    """Return the requests whose fields have these values."""
    return tuple(
        each
        for each in requests
        if all(getattr(each, name) == value for name, value in filters.items())
    )


def check_class(request: Request, answer: Approve | Answer | Deny) -> None:
    """Refuse a decision of a class that a request does not take from people."""
    is_login = isinstance(request, LoginRequest) and isinstance(answer, Answer)
    if problem := _LOGIN if is_login else request.find_class_problem(answer):
        raise InvalidDecisionError(problem, request=request)
