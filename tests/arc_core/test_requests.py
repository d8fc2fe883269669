"""What becomes of decisions, before a journal keeps them."""

from datetime import UTC, datetime

import pytest

from arc_core import ApprovalRequest, Approve, Decision, Deny, Request, find_decision_problem
from arc_core.forms import from_json, to_json

NOW = datetime(2026, 1, 2, tzinfo=UTC)


def request(people: int = 1) -> ApprovalRequest:
    """A request that so many people have to approve."""
    return ApprovalRequest(run_id="r", key="approve/0", tool="pay", since=NOW, people=people)


def by(name: str, answer: Approve | Deny | None = None) -> Decision:
    """What a person says."""
    return Decision(answer=answer or Approve(), by=name, at=NOW)


@pytest.mark.parametrize("people", [1, 2, 3])
def test_so_many_people_approve_as_have_to(people: int) -> None:
    """Each approval but the last is kept with the request; the last one has those before it."""
    taken: Request | Decision = request(people)
    names = ["ann", "bob", "carol"][:people]
    for name in names:
        assert isinstance(taken, ApprovalRequest)
        taken = taken.take(by(name))

    assert isinstance(taken, Decision)
    assert [each.by for each in (*taken.approvals, taken)] == names


def test_a_denial_counts_at_once() -> None:
    """However many would have to approve."""
    taken = request(3).take(by("ann", Deny("no")))

    assert isinstance(taken, Decision)
    assert taken.answer == Deny("no")


@pytest.mark.parametrize("name", ["ann", "ANN", " ann "])
def test_the_same_decider_twice_is_one(name: str) -> None:
    """Case and blanks do not make another person of one."""
    first = request(2).take(by("ann"))
    assert isinstance(first, ApprovalRequest)

    problem = find_decision_problem(by(name), request=first, made=None, has_ended=False)

    assert problem is not None
    assert "another person has to approve it, too" in problem


def test_a_request_with_approvals_has_a_form() -> None:
    """It reads back as it was, and one without says nothing of them."""
    taken = request(2).take(by("ann", Approve({"amount": 3})))

    assert from_json(to_json(taken), ApprovalRequest) == taken
    assert "people" not in to_json(request())
