"""The scores of answers in evaluations, for what no fixed expectation can say.

`arc eval` and `evaluate` ask the scorers that a case names, once for each trial. A judge by a model
is a scorer; Arc brings none. Fails closed: if a scorer raises, takes longer than
`concurrency.request_timeout_s` or gives something that is not a score from 0 to 1, the evaluation
of the case cannot tell, and says which scorer it was.
"""

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from arc_core.cases import Case
from arc_core.components.extension_points import contribution, on_demand
from arc_core.result import AgentResult


@dataclass(frozen=True, slots=True)
class Score:
    """The score of an answer.

    Attributes:
        value: From 0 to 1; 1 is best.
        why: In a sentence, for people who read the report.
    """

    value: float
    why: str = ""


@on_demand
@contribution("scorers", group="arc.scorers", is_named_by_members=True)
@runtime_checkable
class Scorer(Protocol):
    """Gives answers a score.

    Attributes:
        name: By which cases ask for it.
    """

    name: str

    @abstractmethod
    async def score(self, case: Case, result: AgentResult[Any]) -> Score:
        """Return the score of a run, which may also have failed; trials run side by side."""
