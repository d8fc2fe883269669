"""A Redis server: its address, its connections, time-outs, its circuit, and errors as Arc's.

A call is answered within its time-out of an event loop that is on time, see `LoopTimeout`, or has
failed. One for which no connection is free waits for one, however long: those before it end within
their time-outs, and if the server is silent to them, those that wait fail with them.
"""

import asyncio
import errno
import json
import time
from collections.abc import Awaitable, Callable, Sequence
from hashlib import sha256
from typing import Any, TypeVar
from urllib.parse import urlsplit

from pydantic import SecretStr

from arc_core.errors import ConfigurationError
from arc_core.log import Logger
from arc_core.stores import explain_missing_extra
from arc_core.timing.loop_timeout import LoopTimeout

with explain_missing_extra("redis"):
    from redis.asyncio import BlockingConnectionPool, Redis
    from redis.asyncio.retry import Retry
    from redis.backoff import NoBackoff
    from redis.commands.core import AsyncScript
    from redis.exceptions import RedisError, ResponseError


T = TypeVar("T")

_TIMEOUT_S = 1.0
_FIRST_CONNECTIONS = 4
_MAX_CONNECTIONS = 32
"""A few at first, and one more with each answer: opening all at once keeps a process busy."""

_PROBE_EVERY_S = 1.0


class SilentRedisError(TimeoutError):
    """The server was silent to others while this call waited for a connection: it was not sent."""


class RedisServer:
    """Calls of one server; nothing is tried twice.

    Args:
        address: Of the server.
        setting: The name of the setting that has it.
        timeout_s: How long one call may take, without the wait for a free connection.
        on_silence: Called when the server cannot be reached or has not answered.

    Raises:
        ConfigurationError: The address cannot be read; the error does not repeat it.
    """

    def __init__(
        self,
        address: SecretStr,
        *,
        setting: str,
        timeout_s: float = _TIMEOUT_S,
        on_silence: Callable[[], None] = lambda: None,
    ) -> None:
        self.remedy = f"start the server that {setting} names, or correct it"
        self._address, self._setting, self._timeout_s = address, setting, timeout_s
        self._on_silence = on_silence
        self.connect_later()

    def connect_later(self) -> None:
        """Get ready for another event loop; connections belong to one."""
        self._redis = _make_client(self._address, self._setting)
        self._scripts: dict[str, AsyncScript] = {}
        self._connections = asyncio.Semaphore(_FIRST_CONNECTIONS)
        self._is_silent, self._silences, self._answers = False, 0, 0

    async def aclose(self) -> None:
        """Close the connections."""
        await self._redis.aclose()

    async def run(
        self, script: str, *, keys: Sequence[str], arguments: Sequence[str | int]
    ) -> Sequence[Any]:
        """Run a script, which the server keeps.

        Raises:
            OSError: As of `call`.
        """
        if script not in self._scripts:
            self._scripts[script] = self._redis.register_script(script)
        registered = self._scripts[script]
        reply: Sequence[Any] = await self.call(lambda _: registered([*keys], [*arguments]))
        return reply

    async def call(self, command: "Callable[[Redis], Awaitable[T]]") -> T:
        """Send a command once a connection is free.

        Raises:
            SilentRedisError: It was not sent, since the server was silent to those before.
            TimeoutError: The server does not answer in time.
            ConnectionError: It cannot be reached.
            OSError: It answers with an error.
        """
        silences = self._silences
        async with self._connections:
            if self._is_silent and self._silences > silences:
                raise SilentRedisError("Redis has not answered those who were asked before")
            answers = self._answers
            try:
                async with LoopTimeout(self._timeout_s):
                    reply = await command(self._redis)
            except TimeoutError as error:
                if self._answers == answers:  # else it is this command that is slow
                    self._note_silence()
                raise TimeoutError(f"Redis does not answer within {self._timeout_s:g} s") from error
            except ResponseError as error:
                raise OSError(
                    errno.EPROTO, f"Redis answers with an error: {type(error).__name__}"
                ) from error
            except (RedisError, OSError) as error:
                self._note_silence()
                raise ConnectionError(f"Redis cannot be used: {type(error).__name__}") from error
            self._answers += 1
            if self._answers <= _MAX_CONNECTIONS - _FIRST_CONNECTIONS:
                self._connections.release()
            self._is_silent = False
            return reply

    def _note_silence(self) -> None:
        """Let those who wait for a connection fail with this call, instead of a time-out later."""
        self._is_silent = True
        self._silences += 1
        self._on_silence()


class RedisCircuit:
    """A circuit breaker: open after a failure, closed by a probe when the server is back.

    Probes are made only while a caller asks, one at a time and at most one a second, and no caller
    waits for them.

    Args:
        probe: Raises as long as the server does not answer.
        logger: Told when the server is gone and when it is back.
        clock: Seconds; only their differences matter.
    """

    def __init__(
        self,
        probe: Callable[[], Awaitable[object]],
        *,
        logger: Logger,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._probe, self._logger, self._clock = probe, logger, clock
        self._is_open = False
        self._next_probe = 0.0
        self._probing: asyncio.Task[None] | None = None

    def lets_pass(self) -> bool:
        """Return true if the server may be asked; else a probe is started when one is due."""
        is_probing = self._probing is not None and not self._probing.done()
        if self._is_open and not is_probing and self._clock() >= self._next_probe:
            self._probing = asyncio.create_task(self._try(), name="arc-redis-probe")
        return not self._is_open

    def open(self) -> None:
        """Note that the server has not answered."""
        if not self._is_open:
            self._logger.warning("Redis does not answer, nothing is kept until it is back")
        self._is_open = True
        self._next_probe = self._clock() + _PROBE_EVERY_S

    async def aclose(self) -> None:
        """End the probe."""
        if self._probing is not None:
            self._probing.cancel()
            await asyncio.wait((self._probing,))

    async def _try(self) -> None:
        try:
            await self._probe()
        except Exception:  # noqa: BLE001 -- whatever it is, the server is not back
            self._next_probe = self._clock() + _PROBE_EVERY_S
        else:
            self._is_open = False
            self._logger.info("Redis is back")


def digest_names(names: Sequence[str]) -> str:
    """Return what stands for names in a key: of bounded length, and without any of them."""
    # Unescaped, since JSON has one escape for a character and for two halves of a surrogate pair.
    text = json.dumps(names, ensure_ascii=False).encode("utf-8", "surrogatepass")
    return sha256(text).hexdigest()


def _make_client(address: SecretStr, setting: str) -> "Redis":
    """Return a client that connects when it is asked."""
    pool = _read_address(address.get_secret_value())
    if pool is None:  # raised here, so that no error of a parser, which repeats it, is the context
        raise ConfigurationError(
            f"{setting} is not an address of a Redis server",
            remedy="write it as redis://user:password@host:6379/0, special characters of a "
            "password as %XX, with rediss: for TLS, or unix: for a socket",
        )
    return Redis.from_pool(pool)


def _read_address(text: str) -> "BlockingConnectionPool | None":
    try:
        parts = urlsplit(text)
        if parts.scheme != "unix" and "@" in f"{parts.path}{parts.fragment}":
            return None  # a password with a slash, whose end would be taken for the host
        return BlockingConnectionPool.from_url(
            text,
            max_connections=_MAX_CONNECTIONS,
            timeout=None,  # with a time-out of its own, redis-py swallows cancellations
            socket_timeout=None,
            socket_connect_timeout=None,
            retry=Retry(NoBackoff(), 0),
        )
    except ValueError:
        return None
