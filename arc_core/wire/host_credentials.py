"""Credentials of hosts: keys, and what a library fetches while it blocks: bounded, once for all."""

import asyncio
import os
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from threading import Lock, Thread
from typing import Generic, TypeVar

from pydantic import SecretStr

from arc_core.errors import AuthenticationError, ModelUnavailableError

T = TypeVar("T")

_LEAST_S = 10.0  # a request must be there before its credential ends
_PAUSE_S = 5.0  # between attempts to renew ahead
_GIVEN_UP_AFTER = 6  # time-outs; then a thread that hangs is left to itself, and another begins


def read_variable(*names: str) -> str:
    """The first of some environment variables that says something; empty if none does."""
    return next(filter(None, (os.environ.get(name, "").strip() for name in names)), "")


def find_key(own: SecretStr | None, *variables: str) -> str:
    """The key of the settings, else the first that an environment variable holds; else empty."""
    key = "" if own is None else own.get_secret_value().strip()
    return key or read_variable(*variables)


@dataclass(frozen=True, slots=True)
class FetchedCredential(Generic[T]):
    """A credential, and until when it is good, as `time.time()` counts; None is for good."""

    value: T
    expires_at: float | None = None


class CredentialSource(Generic[T]):
    """Fetches a credential on first use, and another one ahead of its end.

    While the one at hand is good no caller waits for the next. It may be asked from several event
    loops.

    Args:
        fetch: Blocks; runs in a thread of its own, never twice at once.
        looked_for: What it looks for, in its order, for errors.
        remedy: What to do if there is nothing.
        ahead_s: How long before its end a credential is renewed.
        outages: The exceptions that say that a service did not answer.
        clock: As `time.time`.
    """

    def __init__(
        self,
        fetch: Callable[[], FetchedCredential[T]],
        *,
        looked_for: str,
        remedy: str,
        ahead_s: float = 300,
        outages: tuple[type[BaseException], ...] = (OSError,),
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._fetch, self._looked_for, self._remedy = fetch, looked_for, remedy
        self._ahead_s, self._longest_s = ahead_s, 0.0
        self._outages, self._clock = outages, clock
        self._lock = Lock()
        self._held: FetchedCredential[T] | None = None
        self._fetching: Future[FetchedCredential[T]] | None = None
        self._began_at = 0.0
        self._failed_at = 0.0

    async def get(self, *, timeout_s: float, refused: object = None) -> T:
        """The credential.

        Args:
            timeout_s: How long the caller waits for it.
            refused: One that was given before and that does not count any more.

        Raises:
            AuthenticationError: There is none.
            ModelUnavailableError: It has not come in time.
        """
        with self._lock:
            if refused is not None and self._held is not None and self._held.value is refused:
                self._held = None
            held, left_s = self._held, self._left_s()
            if held is not None and left_s > self._ahead_s:
                return held.value
            is_good = held is not None and left_s > _LEAST_S
            if held is not None and is_good and time.monotonic() - self._failed_at < _PAUSE_S:
                return held.value
            fetching = self._begin(timeout_s)
            if held is not None and is_good:
                return held.value
        return (await self._wait(fetching, timeout_s)).value

    def _left_s(self) -> float:
        held = self._held
        if held is None or held.expires_at is None:
            return float("inf")
        return held.expires_at - self._clock()

    def _begin(self, timeout_s: float) -> "Future[FetchedCredential[T]]":
        """The fetching that is under way, else a new one; the lock is held."""
        now, self._longest_s = time.monotonic(), max(self._longest_s, timeout_s)
        is_stuck = now - self._began_at > _GIVEN_UP_AFTER * self._longest_s
        if self._fetching is None or is_stuck:
            self._fetching, self._began_at = Future(), now
            self._fetching.set_running_or_notify_cancel()  # no caller that waits cancels it
            Thread(target=self._run, args=(self._fetching,), daemon=True).start()
        return self._fetching

    def _run(self, fetching: "Future[FetchedCredential[T]]") -> None:
        try:
            fetched = self._fetch()
        except BaseException as error:  # noqa: BLE001 -- raised for those who wait
            self._end(fetching, None)
            fetching.set_exception(error)
        else:
            self._end(fetching, fetched)
            fetching.set_result(fetched)

    def _end(
        self, fetching: "Future[FetchedCredential[T]]", fetched: FetchedCredential[T] | None
    ) -> None:
        with self._lock:
            if self._fetching is fetching:
                self._fetching = None
            if fetched is None:
                self._failed_at = time.monotonic()
            else:
                self._held = fetched

    async def _wait(
        self, fetching: "Future[FetchedCredential[T]]", timeout_s: float
    ) -> FetchedCredential[T]:
        bound = asyncio.timeout(timeout_s)
        try:
            async with bound:
                return await asyncio.wrap_future(fetching)
        except Exception as error:  # of a library that is not known here
            if bound.expired():
                raise self._error(
                    ModelUnavailableError, f"did not come within {timeout_s:g} s"
                ) from error
            is_outage = isinstance(error, self._outages)
            kind = ModelUnavailableError if is_outage else AuthenticationError
            raise self._error(kind, f"could not be had ({type(error).__name__})") from error

    def _error(
        self, kind: type[AuthenticationError] | type[ModelUnavailableError], problem: str
    ) -> AuthenticationError | ModelUnavailableError:
        return kind(
            f"credentials {problem}; looked for, in this order: {self._looked_for}. "
            f"To fix it: {self._remedy}"
        )
