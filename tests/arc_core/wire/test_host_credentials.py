"""Credentials of hosts: fetched in a thread, renewed ahead of their end, once for all."""

import asyncio
import threading

import pytest

from arc_core import AuthenticationError, ModelUnavailableError
from arc_core.wire.host_credentials import CredentialSource, FetchedCredential

HOUR_S = 3600.0
PATIENT_S = 30.0


class Chain:
    """A chain of credentials with a clock, which counts how often it is asked."""

    def __init__(self) -> None:
        self.now, self.fetched, self.threads = 0.0, 0, set[int]()
        self.may_go_on = threading.Event()
        self.may_go_on.set()
        self.failure: Exception | None = None

    def fetch(self) -> FetchedCredential[str]:
        """A token that is good for an hour."""
        self.fetched += 1
        self.threads.add(threading.get_ident())
        self.may_go_on.wait(10)
        if self.failure is not None:
            raise self.failure
        return FetchedCredential(f"token {self.fetched}", self.now + HOUR_S)

    def source(self) -> CredentialSource[str]:
        """A source that asks it."""
        return CredentialSource(
            self.fetch, looked_for="a file, a machine", remedy="log in", clock=lambda: self.now
        )


async def ask_at_once(source: CredentialSource[str], times: int) -> set[str]:
    """All that so many tasks get that ask at the same time."""
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(source.get(timeout_s=PATIENT_S)) for _ in range(times)]
    return {task.result() for task in tasks}


async def test_200_runs_at_the_end_of_a_token_renew_it_once() -> None:
    """All wait for the same one, which is fetched outside the event loop's thread."""
    chain = Chain()
    source = chain.source()
    await source.get(timeout_s=PATIENT_S)
    chain.now = HOUR_S

    assert await ask_at_once(source, 200) == {"token 2"}
    assert chain.fetched == 2
    assert threading.get_ident() not in chain.threads


async def test_ahead_of_the_end_no_caller_waits_for_the_next() -> None:
    """The token that is still good is used while another one is fetched, once."""
    chain = Chain()
    source = chain.source()
    first = await source.get(timeout_s=PATIENT_S)
    chain.now = HOUR_S - 60
    chain.may_go_on.clear()

    assert await ask_at_once(source, 200) == {"token 1"}
    chain.may_go_on.set()
    assert await source.get(timeout_s=PATIENT_S, refused=first) == "token 2"
    assert chain.fetched == 2


async def test_a_chain_that_hangs_is_unavailable_in_time_and_has_one_thread() -> None:
    """The next caller waits for the same thread, not for one more."""
    chain = Chain()
    chain.may_go_on.clear()
    source = chain.source()

    for _ in range(3):
        with pytest.raises(ModelUnavailableError, match=r"within 0\.05 s; looked for.* a file"):
            await source.get(timeout_s=0.05)
    chain.may_go_on.set()
    assert chain.fetched == 1


async def test_each_caller_waits_as_long_as_it_says() -> None:
    """One of them gives up, and the other one gets what they both have waited for."""
    chain = Chain()
    chain.may_go_on.clear()
    source = chain.source()
    patient = asyncio.create_task(source.get(timeout_s=PATIENT_S))

    with pytest.raises(ModelUnavailableError, match=r"within 0\.05 s"):
        await source.get(timeout_s=0.05)
    chain.may_go_on.set()

    assert await patient == "token 1"
    assert chain.fetched == 1


async def test_a_chain_that_refuses_is_an_authentication_error_without_its_text() -> None:
    """It says what was looked for, and what to do; texts of libraries may hold secrets."""
    chain = Chain()
    chain.failure = LookupError("secret-of-the-library")

    with pytest.raises(
        AuthenticationError, match=r"a file, a machine\. To fix it: log in"
    ) as found:
        await chain.source().get(timeout_s=PATIENT_S)
    assert "secret-of-the-library" not in str(found.value)


async def test_a_service_that_is_down_is_unavailable() -> None:
    """It may be there again, so that the run is tried again."""
    chain = Chain()
    chain.failure = ConnectionRefusedError()

    with pytest.raises(ModelUnavailableError):
        await chain.source().get(timeout_s=PATIENT_S)


async def test_what_a_host_has_refused_is_fetched_anew_once_for_all() -> None:
    """Of 50 runs whose token was refused, one fetches."""
    chain = Chain()
    source = chain.source()
    refused = await source.get(timeout_s=PATIENT_S)

    async with asyncio.TaskGroup() as group:
        tasks = [
            group.create_task(source.get(timeout_s=PATIENT_S, refused=refused)) for _ in range(50)
        ]
    assert {task.result() for task in tasks} == {"token 2"}
    assert chain.fetched == 2


async def test_who_leaves_does_not_stop_the_others() -> None:
    """A cancelled run takes the fetching from no other."""
    chain = Chain()
    chain.may_go_on.clear()
    source = chain.source()
    leaving, staying = (
        asyncio.create_task(source.get(timeout_s=PATIENT_S)),
        asyncio.create_task(source.get(timeout_s=PATIENT_S)),
    )
    await asyncio.sleep(0)

    leaving.cancel()
    with pytest.raises(asyncio.CancelledError):
        await leaving
    chain.may_go_on.set()
    assert await staying == "token 1"
