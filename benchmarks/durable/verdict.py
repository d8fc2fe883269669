"""What has to be so of runs whose processes were killed."""

import time
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

import sqlalchemy as sa

from arc_autoconfig import Application
from arc_core import AgentResult
from benchmarks.durable.claims import Claims
from benchmarks.durable.databases import connect
from benchmarks.durable.deeds import Deed, Deeds, counts_of_all, done_again, repeated_alive
from benchmarks.durable.killing import Hit
from benchmarks.durable.world import POINTS, WRONG

__all__ = ["claim_counts", "most_at_once", "print_counts", "results_of"]

_FINISHED = sa.text("SELECT run_id, finished_at FROM arc_runs WHERE finished_at IS NOT NULL")


async def results_of(app: Application, run_ids: Sequence[str]) -> dict[str, str]:
    """What each run has answered; nothing of one that failed or goes on."""
    results = {run_id: await app.result(run_id) for run_id in run_ids}
    return {
        run_id: each.content or ""
        for run_id, each in results.items()
        if isinstance(each, AgentResult) and each.success
    }


def claim_counts(
    claims: Claims,
    url: str,
    log: Path,
    *,
    run_ids: Sequence[str],
    answers: dict[str, str],
    hits: Sequence[Hit],
    copies: int = 0,
) -> None:
    """Claim what the rules say of guards, hooks, models and tools over all lives of all runs."""
    calls = {"find", "look", *(f"copy{number}" for number in range(copies))}
    told = {run_id: set(text.split()) for run_id, text in answers.items()}
    hit_runs = {run_id for hit in hits for run_id in hit.run_ids}
    unpaid = {run_id for run_id, words in told.items() if "pay" not in words}
    deeds, counts = Deeds(log).read_all(), counts_of_all(log)
    never = sum(not counts[each][point] for each in run_ids for point in set(POINTS) - {"pay"})
    claims.equal("answers", len(answers), len(run_ids))
    claims.equal("results of another call", sum(WRONG in text for text in answers.values()), 0)
    claims.equal("results that are missing", sum(not calls <= words for words in told.values()), 0)
    claims.equal("payments made twice", sum(each["pay"] > 1 for each in counts.values()), 0)
    claims.equal("payments unknown without a kill", len(unpaid - hit_runs), 0)
    claims.equal("steps never begun", never, 0)
    claims.equal("finished steps done again", done_again(url, deeds), 0)
    killed = {hit.pid for hit in hits}
    claims.equal("steps repeated without a kill", repeated_alive(deeds, killed), 0)
    print(f"payments of which it is unknown whether they were made: {len(unpaid)}")


def print_counts(log: Path) -> None:
    """Print how often each thing was done."""
    counts = counts_of_all(log).values()
    points = sorted({point for each in counts for point in each} - set(POINTS))
    print("\npoint | runs | done again | most for one run")
    for point in (*POINTS, *points):
        done = [each[point] for each in counts if each[point]]
        print(f"{point} | {len(done)} | {sum(done) - len(done)} | {max(done, default=0)}")


def most_at_once(url: str, log: Path, hits: Sequence[Hit]) -> int:
    """The most runs that went on at once, from their first deed in a process to their leaving."""
    killed_at = {hit.pid: hit.at for hit in hits}
    with connect(url) as connection:
        ends = {
            run_id: datetime.fromisoformat(at).timestamp()
            for run_id, at in connection.execute(_FINISHED)
        }
    first: dict[tuple[str, int], Deed] = {}
    for deed in Deeds(log).read_all():
        first.setdefault((deed.run_id, deed.pid), deed)
    changes = []
    for (run_id, pid), deed in first.items():
        end = min(killed_at.get(pid, time.time()), ends.get(run_id, time.time()))
        changes += [(deed.at, 1), (end, -1)]
    most = now = 0
    for _, change in sorted(changes):
        now += change
        most = max(most, now)
    return most
