"""`arc audit` verifies logs, prints heads and forgets people."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from structlog.stdlib import BoundLogger
from structlog.testing import CapturingLogger

from arc_core.command import AgentCommand
from arc_core.testing import ScriptedChatModel, scripted_agent
from arc_plugins.hooks.audit_log import AuditSettings
from arc_plugins.hooks.audit_log.chain.texts import TextStore
from arc_plugins.hooks.audit_log.commands import audit
from arc_plugins.hooks.audit_log.hook import AuditLogHook

KEY = "a key of sixteen or more"


async def record_run(file: Path, prompt: str, *, include_text: bool = True) -> None:
    """Have a run recorded in a chained file."""
    settings = AuditSettings.model_validate(
        {"enabled": True, "chain": True, "file": file, "key": KEY, "include_text": include_text}
    )
    hook = AuditLogHook(settings=settings, logger=BoundLogger(CapturingLogger(), [], {}))
    agent = scripted_agent(ScriptedChatModel(["Done."]), hooks=[hook])
    await agent.execute(AgentCommand(user_prompt=prompt, user_id="ann", tenant_id="acme"))


def read_all(folder: Path) -> bytes:
    """Read all that is in a folder."""
    return b"".join(each.read_bytes() for each in folder.iterdir())


def call(*arguments: object, text: str = "", **environment: str) -> Result:
    """Call a command of `arc audit`."""
    given = [str(each) for each in arguments]
    return CliRunner().invoke(audit, given, input=text, env=environment)


async def test_a_log_that_was_cut_off_fails_against_its_head(tmp_path: Path) -> None:
    """It verifies with the head; without its last line the end is placed, with exit code 1."""
    log = tmp_path / "audit.log"
    await record_run(log, "Hello")
    head = call("head", log).stdout

    whole = call("verify", log, "--key-from", "KEY", "--head", "-", text=head, KEY=KEY)
    log.write_bytes(b"".join(log.read_bytes().splitlines(keepends=True)[:-1]))
    cut = call("verify", log, "--key-from", "KEY", "--head", "-", text=head, KEY=KEY)

    assert (whole.exit_code, whole.output) == (0, "2 lines of 1 chains are unchanged.\n")
    assert cut.exit_code == 1
    assert f"{log}:2: truncated" in cut.stdout


async def test_a_person_is_forgotten_and_the_chain_holds(tmp_path: Path) -> None:
    """No file has the user or the text any more, and the log verifies as before."""
    log = tmp_path / "audit.log"
    await record_run(log, "My name is Ann Smith of Elm Street.")
    texts = tmp_path / "audit.log-texts.db"
    assert b"Elm Street" in texts.read_bytes()

    forgotten = call("forget", log, "ann", "--tenant", "acme")

    assert forgotten.exit_code == 0, forgotten.output
    files = read_all(tmp_path)
    assert not any(text in files for text in (b"Elm Street", b'ann"', b"acmeann"))
    assert call("verify", log, "--key-from", "KEY", KEY=KEY).exit_code == 0
    assert call("forget", log, "ann", "--tenant", "acme").exit_code == 1


async def test_texts_are_kept_only_if_they_are_wanted(tmp_path: Path) -> None:
    """Without `include_text` there are keys beside the log, and no text in any file."""
    log = tmp_path / "audit.log"
    await record_run(log, "A secret plan", include_text=False)

    person = TextStore(tmp_path / "audit.log-texts.db").find("acme", "ann")

    assert person.digest("A secret plan") in log.read_text()
    assert b"secret plan" not in read_all(tmp_path)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((), "There is nothing to verify: the files are empty."),
        (("--key-from", "NO_SUCH"), "NO_SUCH of --key-from is empty or not set"),
        (("--head", "-"), "--head is empty"),
    ],
)
def test_what_cannot_be_verified_is_said(
    tmp_path: Path, arguments: tuple[str, ...], sentence: str
) -> None:
    """An empty log, a key that is not there, a head that says nothing."""
    log = tmp_path / "audit.log"
    log.touch()

    result = call("verify", log, *arguments)

    assert result.exit_code != 0
    assert sentence in result.output


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"chain": True}, "audit.chain needs"),
        ({"enabled": True, "file": "a.log"}, "only with audit.chain"),
        ({"key": "short"}, "too short"),
    ],
)
def test_settings_that_do_not_fit_are_refused(given: dict[str, object], sentence: str) -> None:
    """No setting looks as if a chain were written when none is."""
    with pytest.raises(ValueError, match=sentence):
        AuditSettings.model_validate(given)
