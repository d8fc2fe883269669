"""`arc runs`: what other processes have begun, and what people decide about it."""

import getpass
import json
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from arc_core import AgentCommand, AgentEvent, Approve, Deny, RunState, RunSummary
from tests.arc_autoconfig.cli.invoking import invoke
from tests.arc_autoconfig.cli.shared_journals import OPTIONS, STORE, SharedJournals, pay

KEY = "approve/0"
IN_MEMORY = ("--set", f"plugins.load={pay.__module__}:pay")


@pytest.fixture(autouse=True)
def _empty_store() -> Iterator[None]:
    yield
    for kept in (STORE.records, STORE.results):
        kept.clear()


def waiting_run(question: str = "Please pay 3 (amount)") -> str:
    """The id of a run that has asked whether it may pay."""
    invoke("run", question, *OPTIONS)
    [run_id] = STORE.records
    return run_id


def test_runs_in_memory_are_out_of_reach() -> None:
    """The error says what to set; so does that of a worker."""
    for arguments in (("runs", "list"), ("runs", "cancel", "r"), ("worker",)):
        result = invoke(*arguments)

        assert result.exit_code == 2
        assert "durable.enabled" in result.stderr


def test_a_run_is_approved_in_another_process_and_followed() -> None:
    """The key may be left out if one call waits; the next worker goes on and does not ask again."""
    run_id = waiting_run()
    approved = invoke("runs", "approve", run_id, "--by", "boss", *OPTIONS)
    before = invoke("runs", "show", run_id, *OPTIONS)
    invoke("run", "Hello", *OPTIONS)
    followed = invoke("runs", "follow", run_id, *OPTIONS)

    assert approved.exit_code == 0
    assert STORE.records[run_id].decisions[KEY].by == "boss"
    assert before.stdout == "queued\n"
    assert f"paid 3 by {run_id}/0" in followed.stdout
    assert "✓ pay" in followed.stderr
    assert followed.exit_code == 0


def test_two_people_approve_one_after_the_other() -> None:
    """`approvals.by` counts here, too, and the first one is told that another has to."""
    rules = ("--set", 'approvals.by=[{"tools": ["pay"], "people": 2}]', *OPTIONS)
    invoke("run", "Please pay 3 (amount)", *rules)
    [run_id] = STORE.records
    first = invoke("runs", "approve", run_id, "--by", "carol", *rules)
    shown = invoke("runs", "show", run_id, *rules)
    second = invoke("runs", "approve", run_id, "--by", "dave", *rules)

    assert "approved by carol; the run goes on waiting for another person" in first.stderr
    assert "carol has approved it" in shown.stdout
    assert "approved by dave; the run goes on when a process takes it" in second.stderr


def test_no_one_approves_a_run_of_their_own() -> None:
    """The message says what to do instead."""
    invoke("run", "Please pay 3 (amount)", "--user", "ann", *OPTIONS)
    [run_id] = STORE.records

    refused = invoke("runs", "approve", run_id, "--by", "ann", *OPTIONS)

    assert refused.exit_code == 1
    assert 'decide = "own"' in refused.stderr
    assert not STORE.records[run_id].decisions


def test_arguments_may_be_changed_and_have_to_fit() -> None:
    """What is not an object is wrong usage; what the tool does not take is refused."""
    run_id = waiting_run()

    wrong = invoke("runs", "approve", run_id, "--arguments", "3", *OPTIONS)
    refused = invoke("runs", "approve", run_id, "--arguments", '{"amount": "x"}', *OPTIONS)
    invoke("runs", "approve", run_id, "--arguments", '{"amount": 2}', *OPTIONS)

    assert (wrong.exit_code, refused.exit_code) == (2, 1)
    assert "JSON object" in wrong.stderr
    assert "amount" in refused.stderr
    decision = STORE.records[run_id].decisions[KEY]
    assert decision.answer == Approve({"amount": 2})
    assert decision.by == getpass.getuser()


def test_a_call_is_denied_with_a_reason() -> None:
    """Its key may be named, too."""
    run_id = waiting_run()

    result = invoke("runs", "deny", run_id, KEY, "--reason", "too much", *OPTIONS)

    assert result.exit_code == 0
    assert STORE.records[run_id].decisions[KEY].answer == Deny("too much")


def test_without_a_key_exactly_one_call_has_to_wait() -> None:
    """Otherwise the keys are named, or where the run is instead."""
    several = waiting_run()
    request = STORE.records[several].asked[KEY]
    STORE.records[several].asked["approve/1"] = replace(request, key="approve/1")
    ambiguous = invoke("runs", "approve", several, *OPTIONS)
    invoke("runs", "cancel", several, *OPTIONS)
    finished = invoke("runs", "approve", several, *OPTIONS)

    assert (ambiguous.exit_code, finished.exit_code) == (1, 1)
    assert "approve/0, approve/1" in ambiguous.stderr
    assert "it is finished" in finished.stderr


def test_the_list_says_what_waits_and_what_is_left_alone() -> None:
    """A run of another layout is named with both."""
    run_id = waiting_run()
    STORE.open(AgentCommand(user_prompt="Hi"), run_id="old")

    result = invoke("runs", "list", *OPTIONS)
    waiting = invoke("runs", "list", "--state", "waiting", "--json", *OPTIONS)

    assert 'pay {"amount": 3}' in result.stdout
    assert "its layout is test-1, and this version has test-2" in result.stdout
    [entry] = json.loads(waiting.stdout)
    assert (entry["run_id"], entry["state"]) == (run_id, "waiting")
    assert entry["requests"][0]["arguments"] == {"amount": 3}


def test_a_run_is_shown_for_people_and_for_programs() -> None:
    """What waits, with the command that decides it; a result in its JSON form."""
    run_id = waiting_run()
    people = invoke("runs", "show", run_id, *OPTIONS)
    programs = invoke("runs", "show", run_id, "--json", *OPTIONS)
    invoke("runs", "cancel", run_id, *OPTIONS)
    ended = invoke("runs", "show", run_id, "--json", *OPTIONS)

    assert f"arc runs approve {run_id}" in people.stdout
    assert json.loads(programs.stdout)["requests"][0]["key"] == KEY
    assert json.loads(ended.stdout)["result"]["error_code"] == "CANCELLED"


def test_retry_takes_a_failed_run_up_again() -> None:
    """One that has not failed is not."""
    run_id = waiting_run()
    refused = invoke("runs", "retry", run_id, *OPTIONS)
    invoke("runs", "cancel", run_id, *OPTIONS)
    queued = invoke("runs", "retry", run_id, *OPTIONS)

    assert (refused.exit_code, queued.exit_code) == (1, 0)
    assert "it has not failed" in refused.stderr
    assert run_id not in STORE.results


def test_an_unknown_run_is_an_error() -> None:
    """Told as text."""
    result = invoke("runs", "show", "nowhere", *OPTIONS)

    assert result.exit_code == 1
    assert "there is no run 'nowhere'" in result.stderr


@pytest.mark.parametrize("command", ["show", "approve", "cancel", "retry", "follow"])
@pytest.mark.parametrize("run_id", ["", "a\x00b", "\udcff", "x" * 10_000])
def test_what_cannot_be_an_id_is_an_unknown_run(command: str, run_id: str) -> None:
    """No journal is asked, so that no driver's error is shown; the message is short."""
    result = invoke("runs", command, run_id, *OPTIONS)

    assert result.exit_code == 1
    assert result.stderr.startswith("Error: there is no run ")
    assert len(result.stderr) < 300


@pytest.mark.parametrize("name", [" ", "a\nb", "\udcff"])
def test_the_name_of_who_approves_is_printable(name: str) -> None:
    """Anything else is wrong usage."""
    result = invoke("runs", "approve", "r", "--by", name, *OPTIONS)

    assert result.exit_code == 2
    assert "write who decides" in result.stderr


def test_a_user_without_a_name_has_to_write_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a container whose user is a number."""

    def fail() -> str:
        raise KeyError("getpwuid(): uid not found: 10001")

    monkeypatch.setattr(getpass, "getuser", fail)
    result = invoke("runs", "deny", "r", *OPTIONS)

    assert result.exit_code == 2
    assert "--by NAME" in result.stderr


def test_a_database_that_goes_away_is_told_as_text(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not as a traceback; the driver's own words are not shown."""

    async def fail(*_: object) -> None:
        raise OSError(5, "the database cannot be reached: start it") from ValueError("hunter2")

    monkeypatch.setattr(SharedJournals, "find", fail)
    result = invoke("runs", "show", "r", *OPTIONS)

    assert result.exit_code == 1
    assert result.stderr == "Error: the database cannot be reached: start it\n"


def test_a_run_of_another_version_cannot_be_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The command says why it ends at once."""

    async def find(_: object, run_id: str) -> RunSummary:
        return RunSummary(run_id=run_id, state=RunState.INCOMPATIBLE, since=datetime.now(UTC))

    async def read(*_: object, **__: object) -> AsyncIterator[AgentEvent]:
        return
        yield

    monkeypatch.setattr(SharedJournals, "find", find)
    monkeypatch.setattr(SharedJournals, "events", read)
    result = invoke("runs", "follow", "r", *OPTIONS)

    assert result.exit_code == 1
    assert "Another version of Arc keeps this run" in result.stderr


def test_a_run_that_waits_says_how_to_approve_it() -> None:
    """On standard error, with an exit code of its own; as JSON too."""
    shown = invoke("run", "Please pay 3 (amount)", *OPTIONS)
    [run_id] = STORE.records
    as_json = invoke("run", "Please pay 3 (amount)", "--json", *OPTIONS)
    followed = invoke("runs", "follow", run_id, "--json", *OPTIONS)

    assert (shown.exit_code, as_json.exit_code, followed.exit_code) == (3, 3, 3)
    assert 'pay {"amount": 3} waits for a person' in shown.stderr
    assert f"arc runs approve {run_id}\n" in shown.stderr
    assert "Error" not in shown.stderr
    assert json.loads(as_json.stdout)["waiting"][0]["tool"] == "pay"
    assert json.loads(followed.stdout)["waiting"][0]["key"] == KEY


def test_approve_says_that_a_run_in_memory_cannot_be_decided() -> None:
    """No other process can, and this one ends."""
    result = invoke("run", "Please pay 3 (amount)", *IN_MEMORY)

    assert result.exit_code == 3
    assert "Set durable.enabled" in result.stderr
    assert "arc runs approve" not in result.stderr


def test_a_run_is_meant_by_how_its_id_begins() -> None:
    """If several begin so, the command names them."""
    run_id = waiting_run()
    shown = invoke("runs", "show", run_id[:6], *OPTIONS)
    approved = invoke("runs", "approve", run_id[:6], "--by", "boss", *OPTIONS)
    STORE.open(AgentCommand(user_prompt="Hi"), run_id=f"{run_id[:6]}-2")
    ambiguous = invoke("runs", "cancel", run_id[:6], *OPTIONS)

    assert f"arc runs approve {run_id}" in shown.stdout
    assert STORE.records[run_id].decisions[KEY].by == "boss"
    assert approved.exit_code == 0
    assert (ambiguous.exit_code, f"{run_id[:6]}-2" in ambiguous.stderr) == (1, True)


def test_no_secret_of_a_model_is_needed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who looks at runs need not be able to pay for them; other commands name what is not set."""
    (tmp_path / "arc.toml").write_text('[llm]\nprovider = "openai"\napi_key = "${NO_SUCH_KEY}"\n')
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ARC_TRUST", "1")
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)

    listed = invoke("runs", "list", *OPTIONS)
    run = invoke("run", "Hi", *OPTIONS)

    assert listed.exit_code == 0
    assert (run.exit_code, "NO_SUCH_KEY" in run.stderr) == (2, True)


@pytest.mark.slow
def test_the_steps_of_a_kept_run_are_shown(tmp_path: Path) -> None:
    """With when they ended, and how often the run was begun."""
    pytest.importorskip("croniter", reason="needs the extra durable")
    options = ("--set", "durable.enabled=true", "--set", f"durable.url=sqlite:///{tmp_path}/r.db")
    ran = invoke("run", "What is 2+3?", "--json", *options)
    run_id = json.loads(ran.stdout)["run_id"]

    shown = invoke("runs", "show", run_id, *options)
    entry = json.loads(invoke("runs", "show", run_id, "--json", *options).stdout)

    assert "attempts: 1" in shown.stdout
    assert [each["key"] for each in entry["steps"]][:2] == ["enter", "model/1"]
    assert (entry["attempts"], entry["deaths"]) == (1, 0)
