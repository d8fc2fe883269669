"""In which order contributions work: the same, whatever the order in which they came."""

from collections.abc import Callable, Sequence
from heapq import heapify, heappop, heappush

from arc_autoconfig.declare.candidates import Candidate, Source
from arc_autoconfig.errors import OrderCycleError

__all__ = ["as_registered", "by_name", "in_order"]

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
    """Sorted by name, then by `order`, then moved as little as `before` and `after` demand.

    A name in `before` or `after` that no component has is ignored: its owner is not installed.
    """
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
    waits_for = _predecessors(candidates)
    ready = [index for index, earlier in enumerate(waits_for) if not earlier]
    heapify(ready)
    placed: list[int] = []
    while ready:
        index = heappop(ready)
        placed.append(index)
        for other, earlier in enumerate(waits_for):
            if index in earlier:
                earlier.discard(index)
                if not earlier:
                    heappush(ready, other)
    if len(placed) < len(candidates):
        raise _cycle_among(candidates, waits_for)
    return [candidates[index] for index in placed]


def _predecessors(candidates: list[Candidate]) -> list[set[int]]:
    indices: dict[str, list[int]] = {}
    for index, candidate in enumerate(candidates):
        indices.setdefault(candidate.name, []).append(index)
    earlier: list[set[int]] = [set() for _ in candidates]
    for index, candidate in enumerate(candidates):
        for name in candidate.after:
            earlier[index].update(indices.get(name, ()))
        for name in candidate.before:
            for other in indices.get(name, ()):
                earlier[other].add(index)
    return earlier


def _cycle_among(candidates: list[Candidate], waits_for: list[set[int]]) -> OrderCycleError:
    path: list[int] = [next(index for index, earlier in enumerate(waits_for) if earlier)]
    while path[-1] not in path[:-1]:
        path.append(min(waits_for[path[-1]]))
    cycle = [candidates[index] for index in path[path.index(path[-1]) :]]
    return OrderCycleError(
        f"the order of {cycle[0].place.name} contradicts itself",
        evidence=[" comes after ".join(str(candidate) for candidate in cycle)],
        remedy="remove one of the `before` or `after` of these, or disable one of their plugins",
    )
