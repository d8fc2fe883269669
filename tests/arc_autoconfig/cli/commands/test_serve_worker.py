"""`arc worker`: a process for what others have submitted."""

import json
import signal
from pathlib import Path

import httpx2
import pytest

from arc_autoconfig.decide import conditions
from arc_autoconfig.installed import get_installed_version
from tests.arc_autoconfig.cli import shared_journals
from tests.arc_autoconfig.cli.invoking import invoke, running
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
    with running("worker", *queues, *OPTIONS) as process:
        assert process.stderr is not None
        lines = iter(process.stderr.readline, "")
        told = list(iter(lines.__next__, "works on slow, default\n"))
        process.send_signal(number)
        rest = process.stderr.read()
        code = process.wait()

    assert told[0] == "takes ('slow', 'default'), 4 at a time\n"
    assert rest == "lets go of its runs\n"
    assert code == 0


def test_a_host_without_a_port_is_wrong_usage() -> None:
    """A worker listens nowhere unless it is given a port."""
    result = invoke("worker", "--host", "127.0.0.1", *OPTIONS)

    assert result.exit_code == 2
    assert "give --port, too" in result.stderr


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
        return None if name == "croniter" else get_installed_version(name)

    monkeypatch.setattr(conditions, "get_installed_version", find_version)
    result = invoke("worker", "--set", "durable.enabled=true")

    assert result.exit_code == 2
    assert 'pip install "arc-agents[durable]"' in result.stderr


KEYS = [{"name": "prometheus", "key": "figures-for-prometheus"}]
_WATCHED = ("/health/live", "/health/ready", "/metrics")


@pytest.mark.slow
def test_a_worker_serves_health_and_metrics_alone(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Probes need no key, figures need one, and there is no agent to ask."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    kept = (f"durable.url=sqlite:///{tmp_path}/runs.db", "durable.enabled=true")
    settings = (*kept, f"server.api_keys={json.dumps(KEYS)}", "telemetry.metrics=true")
    options = [word for each in settings for word in ("--set", each)]
    key = {"authorization": f"Bearer {KEYS[0]['key']}"}
    with running("worker", "--port", "0", *options) as process:
        assert process.stderr is not None
        lines = iter(process.stderr.readline, "")
        line = next(each for each in lines if each.startswith("serves health and metrics on "))
        with httpx2.Client(base_url=line.split()[-1], timeout=20) as client:
            codes = [client.get(each).status_code for each in _WATCHED]
            figures = ""
            while "arc_runs_running" not in figures:  # once it has looked at its database
                figures = client.get("/metrics", headers=key).raise_for_status().text
            chat = client.post("/api/chat", headers=key, json={"message": "Hi"})
        process.send_signal(signal.SIGTERM)
        rest, code = process.stderr.read(), process.wait()

    assert codes == [200, 200, 401]
    assert chat.status_code == 404
    assert rest.endswith("lets go of its runs\n")
    assert code == 0


@pytest.mark.parametrize("address", [("--host", "0.0.0.0"), ("--set", "server.host=0.0.0.0")])
def test_a_worker_listens_for_others_with_keys_alone(address: tuple[str, str]) -> None:
    """The rule of servers is that of workers, and they start nothing before it is kept."""
    loaded = f"plugins.load={shared_journals.__name__}:EndingJournals"

    result = invoke("worker", "--port", "0", *address, "--set", loaded)

    assert result.exit_code == 2
    assert "the server must not listen on 0.0.0.0 without keys" in result.stderr
    assert "works on" not in result.output
