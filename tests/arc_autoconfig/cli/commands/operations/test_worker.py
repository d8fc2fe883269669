"""`arc worker`: a process for what others have submitted."""

import signal

import pytest

from arc_autoconfig.decide import conditions
from arc_autoconfig.installed import get_installed_version
from tests.arc_autoconfig.cli import shared_journals
from tests.arc_autoconfig.cli.invoking import invoke, started
from tests.arc_autoconfig.cli.shared_journals import OPTIONS
from tests.architecture.source import ROOT


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_worker_lets_go_when_it_is_ended(
    number: signal.Signals, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It says on which queues it works, and ends well."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    queues = ("--queue", "slow", "--queue", "default", "--concurrency", "4")
    with started("worker", *queues, *OPTIONS) as process:
        assert process.stderr is not None
        lines = iter(process.stderr.readline, "")
        told = list(iter(lines.__next__, "works on slow, default\n"))
        process.send_signal(number)
        rest = process.stderr.read()
        code = process.wait()

    assert told[0] == "takes ('slow', 'default'), 4 at a time\n"
    assert rest == "lets go of its runs\n"
    assert code == 0


def test_a_worker_ends_in_order() -> None:
    """It tells what it works on, and ends well when it is asked to."""
    loaded = f"plugins.load={shared_journals.__name__}:EndingJournals"

    result = invoke("worker", "--queue", "slow", "--set", loaded)

    assert result.exit_code == 0, result.output
    assert "works on slow" in result.output
    assert "lets go of its runs" in result.output


def test_a_worker_without_the_extra_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error has what to install; no journals are there to be asked."""

    def find_version(name: str) -> str | None:
        return None if name == "dbos" else get_installed_version(name)

    monkeypatch.setattr(conditions, "get_installed_version", find_version)
    result = invoke("worker", "--set", "durable.enabled=true")

    assert result.exit_code == 2
    assert 'pip install "arc-agents[durable]"' in result.stderr
