"""Checks of a started application."""

import asyncio
from typing import Any

import pytest

from arc_autoconfig import Application, ArcSettings
from arc_autoconfig.errors import ApplicationStateError
from arc_core import Hook
from arc_core.health_checks import check_chat_model, check_response_cache
from arc_core.interfaces.optional import Health, HealthStatus
from arc_core.testing import DictResponseCache, ScriptedChatModel
from tests.arc_autoconfig.installed import PackageIndex
from tests.arc_autoconfig.offers import EmptyRetriever


class Checking(Hook):
    """Says what it is told to, and whether it was started."""

    def __init__(self, outcome: Health | BaseException | None) -> None:
        self._outcome, self._is_started = outcome, False

    async def start(self) -> None:
        self._is_started = True

    async def check_health(self) -> Health:
        assert self._is_started
        if self._outcome is None:
            await asyncio.Event().wait()
        if isinstance(self._outcome, Health):
            return self._outcome
        raise self._outcome or AssertionError


async def _findings(*register: object, **settings: Any) -> dict[str, Health]:
    app = Application(ArcSettings(**settings), register=register, plugins=False)
    async with app:
        findings = await app.health(timeout_s=0.2)
    return {finding.subject: finding.health for finding in findings}


@pytest.mark.slow
async def test_a_component_says_how_it_is() -> None:
    """Once it has started; what it says is passed on."""
    health = Health(status=HealthStatus.WARNING, summary="slow", remedy="wait")

    findings = await _findings(Checking(health))

    assert findings["hooks: Checking"] == health


@pytest.mark.slow
@pytest.mark.parametrize(
    ("outcome", "summary"),
    [
        (OSError("redis://ann:secret@host is down"), "OSError: redis://***"),
        (SystemExit(3), "SystemExit: 3"),
        (None, "it took longer than"),
    ],
    ids=["raises", "exits", "hangs"],
)
async def test_a_check_that_fails_is_an_error(outcome: BaseException | None, summary: str) -> None:
    """With its cause, without credentials, and with what to do."""
    health = (await _findings(Checking(outcome)))["hooks: Checking"]

    assert health.status is HealthStatus.ERROR
    assert health.summary.startswith(summary)
    assert "secret" not in health.summary
    assert health.remedy


class CheckedModel(ScriptedChatModel):
    """Asks itself."""

    async def check_health(self) -> Health:
        return await check_chat_model(self, name="checked")


class CheckedCache(DictResponseCache):
    """Writes to itself."""

    async def check_health(self) -> Health:
        return await check_response_cache(self, name="checked")


@pytest.mark.slow
async def test_what_fills_a_slot_does_what_a_run_would() -> None:
    """The model is asked, the store and the cache are written to."""
    model = CheckedModel(["OK"])

    findings = await _findings(model, CheckedCache(), cache={"enabled": True})

    checked = {subject: health.status for subject, health in findings.items()}
    assert checked["chat_model: CheckedModel"] is HealthStatus.OK
    assert checked["response_cache: CheckedCache"] is HealthStatus.OK
    assert checked["conversation_store: memory"] is HealthStatus.OK
    assert len(model.requests) == 1


@pytest.mark.slow
async def test_what_cannot_check_itself_is_skipped() -> None:
    """Nothing is asked in its place, and the words say so."""
    model = ScriptedChatModel(["OK"])

    findings = await _findings(model, EmptyRetriever())

    health = findings["chat_model: ScriptedChatModel"]
    assert health.status is HealthStatus.SKIPPED
    assert health.summary.startswith("ScriptedChatModel has no check_health")
    assert findings["retriever: EmptyRetriever"].status is HealthStatus.SKIPPED
    assert model.requests == []


async def test_only_what_is_started_has_health() -> None:
    """Nothing is started for the question."""
    with pytest.raises(ApplicationStateError, match="not started"):
        await Application(plugins=False).health()


@pytest.mark.slow
async def test_what_is_switched_off_is_skipped() -> None:
    """There is nothing to check, and nothing to do."""
    health = (await _findings())["response_cache: none"]

    assert (health.status, health.remedy) == (HealthStatus.SKIPPED, None)


async def test_a_plugin_that_is_left_out_is_a_warning(packages: PackageIndex) -> None:
    """With its cause, and the setting that silences it."""
    packages.install("acme-arc", arc__hooks={"audit": "nowhere_to_be_found:Audit"})

    async with Application() as app:
        findings = {each.subject: each.health for each in await app.health()}

    health = findings["plugin audit (acme-arc 1.0)"]
    assert health.status is HealthStatus.WARNING
    assert "nowhere_to_be_found" in health.summary


class Telling(Hook):
    """Answers at once, with what it is told to."""

    def __init__(self, told: object) -> None:
        self._told = told

    def check_health(self) -> object:
        return self._told


async def test_a_check_may_be_synchronous() -> None:
    """As the methods of the life cycle may be."""
    health = Health(status=HealthStatus.OK, summary="fine")

    assert (await _findings(Telling(health)))["hooks: Telling"] == health


async def test_a_check_that_gives_no_health_is_an_error() -> None:
    """The finding names what the check gave instead."""
    health = (await _findings(Telling("fine")))["hooks: Telling"]

    assert health.status is HealthStatus.ERROR
    assert "check_health returned str" in health.summary
