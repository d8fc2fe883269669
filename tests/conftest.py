"""Properties are judged by what they claim, not by how busy the machine is.

`--hypothesis-profile thorough` tries each of them a thousand times instead of a hundred.
"""

import gc
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from tests.arc_plugins.postgres_server import postgres_url

settings.register_profile("without_deadline", deadline=None)
settings.register_profile("thorough", deadline=None, max_examples=1000)
settings.load_profile("without_deadline")

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A shell starts what runs in the background so; tests that press Ctrl-C would wait for ever,
    # and so would the programs that they start.
    signal.signal(signal.SIGINT, signal.default_int_handler)

_LIMIT = pytest.StashKey[object]()

gc.disable()  # what collecting tests makes, stays


def pytest_collection_finish() -> None:
    """Keep modules and tests out of garbage collections, each of which would look at them all."""
    gc.freeze()
    gc.enable()


@pytest.hookimpl(optionalhook=True)
def pytest_timeout_set_timer(item: pytest.Item, settings: object) -> None:
    """Note the limit of a test; pytest-timeout sets its timer."""
    item.stash[_LIMIT] = settings


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_teardown(item: pytest.Item) -> None:
    """Limit the end of a test, too: pytest-timeout has cancelled its timer if it has failed."""
    if _LIMIT in item.stash:
        item.config.hook.pytest_timeout_set_timer(item=item, settings=item.stash[_LIMIT])


@pytest.fixture
def sqlite_database(tmp_path: Path) -> str:
    """The address of a SQLite file that is not there yet."""
    return f"sqlite:///{tmp_path / 'arc.db'}"


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The address of a PostgreSQL, which all tests of a process share; each has its own schema."""
    with postgres_url() as url:
        yield url
