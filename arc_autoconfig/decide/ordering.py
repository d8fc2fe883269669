"""In which order contributions work: the same, whatever the order in which they came."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from graphlib import CycleError, TopologicalSorter
from heapq import heappop, heappush

from arc_autoconfig.declare.candidates import Candidate, Source
from arc_autoconfig.errors import OrderCycleError

_RANK = {source: rank for rank, source in enumerate(Source)}


def by_name(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Sorted by name; those of one name by where they come from."""

    def key(candidate: Candidate) -> tuple[str, int, str, str]:
        origin = candidate.origin
        return (
            candidate.name,
            _RANK[origin.source],
            origin.distribution or "",
            candidate.reference,
        )

    return sorted(candidates, key=key)


def in_order(
    candidates: Sequence[Candidate], order_of: Callable[[Candidate], int]
) -> list[Candidate]:
    """Sorted by name, then by `order`, then moved as little as `before` and `after` demand."""
    return _apply_constraints(sorted(by_name(candidates), key=order_of))


def as_registered(candidates: Sequence[Candidate]) -> list[Candidate]:
    """The program's own as registered, then those of plugins by name, then Arc's by name."""
    own = [each for each in candidates if each.origin.source is Source.CODE]
    others = by_name([each for each in candidates if each.origin.source is not Source.CODE])
    others.sort(key=lambda each: _RANK[each.origin.source])
    return _apply_constraints([*own, *others])


def _apply_constraints(candidates: list[Candidate]) -> list[Candidate]:
    if not any(candidate.before or candidate.after for candidate in candidates):
        return candidates
    sorter = TopologicalSorter(_find_predecessors(candidates))
    try:
        sorter.prepare()
    except CycleError as error:
        raise _cycle_error([candidates[index] for index in reversed(error.args[1])]) from None
    ready: list[int] = []
    placed: list[Candidate] = []
    while sorter.is_active():
        for index in sorter.get_ready():
            heappush(ready, index)
        placed.append(candidates[first := heappop(ready)])
        sorter.done(first)
    return placed


def _find_predecessors(candidates: list[Candidate]) -> dict[int, set[int]]:
    indices: defaultdict[str, list[int]] = defaultdict(list)
    for index, candidate in enumerate(candidates):
        indices[candidate.name].append(index)
    earlier: dict[int, set[int]] = {index: set() for index in range(len(candidates))}
    for index, candidate in enumerate(candidates):
        for name in candidate.after:
            earlier[index].update(indices[name])
        for name in candidate.before:
            for other in indices[name]:
                earlier[other].add(index)
    return earlier


def _cycle_error(cycle: Sequence[Candidate]) -> OrderCycleError:
    return OrderCycleError(
        f"the order of {cycle[0].place.name} contradicts itself",
        evidence=[" comes after ".join(str(candidate) for candidate in cycle)],
        remedy="remove one of the `before` or `after` of these, or disable one of their plugins",
    )
