"""The commands `arc run`, `arc runs` and `arc worker` on durable runs, in both databases."""

import json
import signal
from typing import Any

import pytest

pytest.importorskip("croniter", reason="needs the extra durable")

from tests.arc_autoconfig.cli.invoking import invoke, running
from tests.arc_autoconfig.cli.shared_journals import pay
from tests.architecture.source import ROOT

pytestmark = pytest.mark.slow


def _options(database: str) -> tuple[str, ...]:
    settings = {
        "durable.enabled": "true",
        "durable.url": database,
        "llm.provider": "offline",
        "plugins.load": f"{pay.__module__}:pay",
    }
    return tuple(each for name, value in settings.items() for each in ("--set", f"{name}={value}"))


def _listed(*options: str) -> Any:
    [entry] = json.loads(invoke("runs", "list", "--json", *options).stdout)
    return entry


def test_a_run_is_approved_by_one_command_and_done_by_a_worker(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The commands themselves take no runs; the worker goes on and asks no one again."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    options = _options(database)
    asked = invoke("run", "Please pay 3 (amount)", *options)
    waiting = _listed(*options)
    run_id = waiting["run_id"]
    invoke("runs", "approve", run_id, "--by", "boss", *options)
    shown = invoke("runs", "show", run_id, *options)
    with running("worker", "--queue", "default", "--concurrency", "20", *options) as worker:
        followed = invoke("runs", "follow", run_id, *options)
        worker.send_signal(signal.SIGTERM)
        worker.communicate()

    assert (asked.exit_code, waiting["state"]) == (3, "waiting")
    assert shown.stdout.startswith("queued\n\nattempts: 1\n")
    assert f"paid 3 by {run_id}/0" in followed.stdout
    assert (followed.exit_code, worker.returncode) == (0, 0)


def test_retry_takes_a_cancelled_run_up_again(database: str) -> None:
    """It is queued then, and its list has no error any more."""
    options = _options(database)
    invoke("run", "Please pay 3 (amount)", *options)
    run_id = _listed(*options)["run_id"]
    invoke("runs", "cancel", run_id, *options)
    cancelled = _listed(*options)
    retried = invoke("runs", "retry", run_id, *options)
    queued = _listed(*options)

    assert (cancelled["state"], cancelled["error_code"]) == ("finished", "CANCELLED")
    assert retried.exit_code == 0
    assert (queued["state"], queued["error_code"]) == ("queued", None)
