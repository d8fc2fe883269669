"""The lock by which a process is known to live, and the notices of processes to each other.

On PostgreSQL it is a connection that lasts: the server frees its lock with it, and brings to it
what other processes tell. A notification may be lost: each that waits for one also looks by itself,
after seconds. On a file it is a lock beside it.
"""

import asyncio
import os
import selectors
import socket
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from threading import Event, Thread

from sqlalchemy import Connection, text
from sqlalchemy.exc import SQLAlchemyError

from arc_core import Logger
from arc_plugins.journals.sql.database import Database

try:
    import fcntl
except ImportError:  # Windows has none
    fcntl = None  # type: ignore[assignment]

_PAUSE_S = 0.03  # after a notification, which costs as much as a step: what follows goes together

_LOOK = ""
"""Is told in the place of a run's id: that there is something for all processes to look at."""


class Wakeups:
    """Wakes what waits for something to be written: here, and over notifications elsewhere.

    All of it is on the event loop of the application. While others `are_heard`, one need not look
    often. They are told by `send`: of ids of runs, or of an empty one for a look.
    """

    def __init__(self) -> None:
        self.are_heard = False
        self._readers: dict[str, dict[asyncio.Event, int]] = {}
        self._look = asyncio.Event()
        self.send: Callable[[Sequence[str]], Awaitable[None]] | None = None
        self._untold = set[str]()
        self._telling: asyncio.Task[None] | None = None

    def wake_readers(self, run_id: str, last: int | None = None) -> None:
        """Have readers of a run look that read from its last event or before; None wakes all."""
        self._wake(run_id, last)
        self._tell(run_id)

    def look(self) -> None:
        """Have all processes look, since a run may be queued, decided or cancelled."""
        self.look_here()
        self._tell(_LOOK)

    def look_here(self) -> None:
        """Have this process look."""
        self._look.set()

    def hear(self, names: Sequence[str]) -> None:
        """Take what another process has told."""
        for name in names:
            if name == _LOOK:
                self._look.set()
            else:
                self._wake(name)

    def hear_all(self) -> None:
        """Have everything looked at once, since something may not have been heard."""
        self._look.set()
        for run_id in self._readers:
            self._wake(run_id)

    @contextmanager
    def reading(self, run_id: str, *, after: int = 0) -> Iterator[asyncio.Event]:
        """An event that is set when something is written of a run, for a reader after a `seq`."""
        reader = asyncio.Event()
        readers = self._readers.setdefault(run_id, {})
        readers[reader] = after
        try:
            yield reader
        finally:
            del readers[reader]
            if not readers:
                self._readers.pop(run_id, None)

    async def wait_to_look(self, seconds: float) -> None:
        """Wait until there is something to look at, or for a while."""
        await wait_briefly(self._look, seconds)
        self._look.clear()

    async def drain(self) -> None:
        """Wait until others are told all there is."""
        if self._telling is not None:
            await asyncio.wait([self._telling])

    def _wake(self, run_id: str, last: int | None = None) -> None:
        for reader, after in self._readers.get(run_id, {}).items():
            if last is None or last >= after:
                reader.set()

    def _tell(self, name: str) -> None:
        if self.send is None:
            return
        self._untold.add(name)
        if self._telling is None:
            self._telling = asyncio.create_task(self._tell_all(self.send))

    async def _tell_all(self, send: Callable[[Sequence[str]], Awaitable[None]]) -> None:
        """Tell others; what comes meanwhile is told together."""
        try:
            while self._untold:
                names, self._untold = sorted(self._untold), set()
                with suppress(OSError, SQLAlchemyError):  # they look by themselves
                    await send(names)
                await asyncio.sleep(_PAUSE_S)
        finally:
            self._telling = None


async def wait_briefly(event: asyncio.Event, seconds: float) -> None:
    """Wait until an event is set, or for a while."""
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await event.wait()


_MAX_BYTES = 7_000  # PostgreSQL takes less than 8,000 in a notification


def write_notifications(sender: str, names: Sequence[str]) -> Iterator[str]:
    """Yield texts that say who has written something of which runs, each as long as may be."""
    lines, size = [sender], len(sender.encode())
    for name in names:
        more = len(name.encode()) + 1
        if size + more > _MAX_BYTES:
            yield "\n".join(lines)
            lines, size = [sender], len(sender.encode())
        lines.append(name)
        size += more
    yield "\n".join(lines)


_KEEPALIVES = {
    "tcp_keepalives_idle": "5",
    "tcp_keepalives_interval": "2",
    "tcp_keepalives_count": "3",
}
"""A machine without power holds its lock for eleven seconds, and not for hours."""

_TRY = text("SELECT pg_try_advisory_lock(:key)")
_TRY_FOR_NOW = text("SELECT pg_try_advisory_xact_lock(:key)")
_NOTIFY = text("SELECT pg_notify(:channel, :payload)")
_PING = text("SELECT 1")

_CHECK_S = 5.0
"""The seconds after which a quiet connection is asked whether it lasts."""

_AGAIN_S = 0.4
_PROBE_S = 3.0
_REMEDY = (
    "connect to PostgreSQL itself, or by a pooler that gives each program a connection of its own; "
    "until then this process looks for changes twice a second"
)


def lock_key(schema: str | None, executor: str) -> int:
    """The number of the lock of a process that works on the runs of a schema."""
    name = f"arc.executor.{schema}.{executor}"
    return int.from_bytes(sha256(name.encode()).digest()[:8], "big", signed=True)


def is_free(connection: Connection, key: int) -> bool:
    """Return true if no process has a lock; none gets it until the transaction ends."""
    return bool(connection.scalar(_TRY_FOR_NOW, {"key": key}))


class ProcessSession:
    """The lock of this process and what it hears, by one connection in a thread of its own.

    If the connection breaks, it is made again at once, with the lock; then everything is looked at.

    Attributes:
        lost: Called when the connection has broken.
        is_deaf: Whether it was found that others cannot be heard.
    """

    def __init__(
        self, database: Database, *, executor: str, wakeups: Wakeups, logger: Logger
    ) -> None:
        self.lost: Callable[[], None] = wakeups.look_here
        self._database, self._executor = database, executor
        self._wakeups, self._logger = wakeups, logger
        self._loop = asyncio.get_running_loop()
        self.is_deaf = False
        self._closing = Event()
        self._stop, self._stopped = socket.socketpair()
        self._thread: Thread | None = None
        self._channel = self._schema = ""

    async def start(self) -> None:
        """Take the lock, before this process begins any run."""
        session = await asyncio.to_thread(self._connect)
        self._thread = Thread(target=self._keep, args=(session,), name="arc-runs-session")
        self._thread.daemon = True
        self._thread.start()

    def key_of(self, executor: str) -> int:
        """Return the number of the lock of a process."""
        return lock_key(self._schema, executor)

    def notify(self, connection: Connection, names: Sequence[str]) -> None:
        """Tell other processes of what was written."""
        for payload in write_notifications(self._executor, names):
            connection.execute(_NOTIFY, {"channel": self._channel, "payload": payload})

    async def aclose(self) -> None:
        """Close the connection, and free the lock with it."""
        self._closing.set()
        self._stop.close()
        if self._thread is not None:
            await asyncio.to_thread(self._thread.join)
        self._stopped.close()

    def _connect(self) -> Connection:
        """Open a connection, and take the lock if no process tries it at this moment."""
        if not self._channel:
            self._schema = self._database.own_schema() or ""
            self._channel = f"arc_runs_{sha256(self._schema.encode()).hexdigest()[:16]}"
        session = self._database.session(**_KEEPALIVES)
        try:
            session.execute(text(f"LISTEN {self._channel}"))
            self._take_lock(session)
        except BaseException:
            _end(session)
            raise
        return session

    def _keep(self, session: Connection | None) -> None:
        """Hold the lock and listen, until it is closed."""
        broken = (SQLAlchemyError, OSError, self._database.driver_error)
        while not self._closing.is_set():
            try:
                if session is None:
                    session = self._connect()
                self._listen(session)
            except broken:
                if self._closing.is_set():
                    break
                self._call(self._note_lost)
                if session is None:  # it could not be made again
                    self._closing.wait(_AGAIN_S)
                _end(session)
                session = None
        _end(session)

    def _listen(self, session: Connection) -> None:
        driver = session.connection.driver_connection
        assert driver is not None
        self._call(self._wakeups.hear_all)
        hears, asks_until = False, time.monotonic() + _PROBE_S
        with selectors.DefaultSelector() as selector:
            selector.register(driver, selectors.EVENT_READ)
            selector.register(self._stopped, selectors.EVENT_READ)
            while not self._closing.is_set():
                is_settled = self._take_lock(session)
                if not hears:
                    is_settled = self._probe(asks_until) and is_settled
                if not selector.select(_CHECK_S if is_settled else _AGAIN_S):
                    session.execute(_PING)
                for notice in driver.notifies(timeout=0):
                    sender, *names = notice.payload.split("\n")
                    hears = hears or sender == self._executor
                    self._call(self._hear, sender, names)

    def _take_lock(self, session: Connection) -> bool:
        """Take the lock if it was not free before: others try it for a moment."""
        if not session.info.get("has_lock"):
            own = {"key": self.key_of(self._executor)}
            session.info["has_lock"] = bool(session.scalar(_TRY, own))
        return bool(session.info["has_lock"])

    def _probe(self, asks_until: float) -> bool:
        """Tell oneself something by another connection; whether that was tried for long enough.

        Behind a pooler that gives a connection to several programs, nothing is heard.
        """
        with self._database.query() as connection:
            self.notify(connection, [])
        if time.monotonic() < asks_until:
            return False
        if not self.is_deaf:
            self.is_deaf = True
            self._logger.warning("notifications_do_not_arrive", remedy=_REMEDY)
        return True

    def _hear(self, sender: str, names: Sequence[str]) -> None:
        if sender == self._executor:
            self._wakeups.are_heard, self.is_deaf = True, False
        else:
            self._wakeups.hear(names)

    def _note_lost(self) -> None:
        self._wakeups.are_heard = False
        self._wakeups.hear_all()  # with less patience from now on
        self.lost()

    def _call(self, do: Callable[..., None], *values: str | Sequence[str]) -> None:
        """Do something on the event loop, unless that is closed."""
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(do, *values)


def _end(session: Connection | None) -> None:
    """Close a connection; SQLAlchemy would make it again without a word, and without the lock."""
    if session is not None:
        session.invalidate()
        session.close()


WORKER = "worker"
"""The lock of the process that works on the runs in a file: one at a time."""


class FileLock:
    """A lock beside the database; the operating system frees it when the process ends."""

    def __init__(self, file: Path, name: str = WORKER) -> None:
        self._file = file.with_name(f"{file.name}-{name}")
        self._held: int | None = None

    def take(self) -> bool:
        """Return true if this process has the lock now."""
        if self._held is None:
            descriptor = os.open(self._file, os.O_RDWR | os.O_CREAT, 0o600)
            try:
                if fcntl is not None:
                    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                os.close(descriptor)
                return False
            self._held = descriptor
        return True

    def free(self) -> None:
        """Let another process have it."""
        held, self._held = self._held, None
        if held is not None:
            os.close(held)

    def remove(self) -> None:
        """Free it, and remove its file: no other process takes a lock of this name."""
        if self._held is not None:
            self._file.unlink(missing_ok=True)
        self.free()


def is_held(file: Path, name: str) -> bool:
    """Return whether the process that a lock is named after lives; never so on Windows."""
    lock = FileLock(file, name)
    is_free = lock.take()
    lock.remove()
    return not is_free
