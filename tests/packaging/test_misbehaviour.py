"""What people are told when an installed plugin misbehaves, or a setting names the wrong thing."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from tests.forks import ForkedArc
from tests.packaging.environment import Environment, bare_environment
from tests.packaging.plugin_packages import install, write_package

pytestmark = [pytest.mark.pip, pytest.mark.timeout(300)]

HEAD = """
from asyncio import Event
from arc_core import Guard, Hook, ResponseCache, Retriever, hookimpl
from arc_core.testing import DictResponseCache

class Good(Hook): ...
"""


def registering(statement: str, *, classes: str = "") -> str:
    """The source of a plugin whose `arc_register`, at line 9 without classes, is a statement."""
    return f"{HEAD}{classes}@hookimpl\ndef arc_register(registry):\n    {statement}\n"


SOURCES = {
    "unimportable": "import nowhere_to_be_found\n",
    "raising": registering("raise ValueError('no licence')"),
    "half": registering(
        "registry.contribute(Hook, Good, name='half'); raise ValueError('no licence')"
    ),
    "wrong-type": registering("registry.contribute(Hook, dict)"),
    "misspelt": registering("...").replace("arc_register", "arc_regster"),
    "twin-one": HEAD,
    "twin-two": HEAD,
    "needy": registering(
        "registry.contribute(Hook, Needy, name='needy')",
        classes="class Needy(Hook):\n    def __init__(self, wallet: int): ...\n",
    ),
    "circular": registering(
        "registry.provide(ResponseCache, Cache); registry.provide(Retriever, Finder)",
        classes="class Cache(DictResponseCache):\n"
        "    def __init__(self, retriever: Retriever): ...\n"
        "class Finder(Retriever):\n"
        "    def __init__(self, cache: ResponseCache): ...\n"
        "    async def retrieve(self, query, *, limit, filter): return ()\n",
    ),
    "hanging": registering(
        "registry.contribute(Hook, Slow, name='slow')",
        classes="class Slow(Hook):\n    async def start(self):\n        await Event().wait()\n",
    ),
    "leaking": registering(
        "registry.contribute(Hook, Leak, name='leak')",
        classes="class Leak(Hook):\n"
        "    async def aclose(self):\n"
        "        raise OSError('socket is busy')\n",
    ),
    "cache-one": registering("registry.provide(ResponseCache, DictResponseCache, name='one')"),
    "cache-two": registering("registry.provide(ResponseCache, DictResponseCache, name='two')"),
}

START_WITHIN_A_SECOND = """
import sys
from arc_autoconfig.container import lifecycle
lifecycle.START_TIMEOUT_S = 0.5
from arc_autoconfig.cli.main import main
sys.exit(main())
"""

LATE_OVERRIDE = """
import asyncio
from arc_autoconfig import Application
from arc_core.testing import DictResponseCache

async def main():
    async with Application() as app:
        app.container.response_cache.override(DictResponseCache())

asyncio.run(main())
"""


@dataclass(frozen=True)
class Case:
    """One thing that is wrong.

    Attributes:
        options: Of `arc run`; packages are named by `on`.
        said: What the message contains, in any order.
        exit_code: 0 where the run goes on without what is wrong.
        has_traceback: Whether `--traceback` has one to show.
    """

    options: tuple[str, ...]
    said: tuple[str, ...]
    exit_code: int = 2
    has_traceback: bool = True


def on(*names: str) -> tuple[str, ...]:
    """Options that load some of the plugins, and no other."""
    disabled = () if "twin" in names else ("--set", 'plugins.disabled=["twin"]')
    enabled = ",".join(names)
    return ("--set", "plugins.autoload=false", "--set", f"plugins.enabled={enabled}", *disabled)


CASES = {
    "cannot be imported": Case(
        on("unimportable"),
        ("unimportable (unimportable-arc 1.0)", "ModuleNotFoundError", "unimportable_arc.py:1"),
        exit_code=0,
    ),
    "raises while registering": Case(
        on("raising"),
        ("raising (raising-arc 1.0)", "ValueError: no licence", "raising_arc.py:9"),
        exit_code=0,
    ),
    "registers half": Case(
        on("half"), ("half (half-arc 1.0)", "no licence", "half_arc.py:9"), exit_code=0
    ),
    "registers the wrong type": Case(
        on("wrong-type"),
        ("wrong-type (wrong-type-arc 1.0)", "dict does not inherit", "wrong_type_arc.py:9"),
        exit_code=0,
    ),
    "misspells a hookimpl": Case(
        on("misspelt"),
        ("misspelt (misspelt-arc 1.0)", "arc_regster", "misspelt_arc.py:7", "write arc_register"),
        exit_code=0,
    ),
    "has the name of another": Case(
        on("twin"),
        ("'twin'", "twin-one-arc 1.0 (twin_one_arc)", "twin-two-arc 1.0", "uninstall one"),
    ),
    "needs what is not there": Case(
        on("needy"),
        ("hooks: needy (needy-arc 1.0)", "wallet: int", "needy_arc.py:7", "give it a default"),
    ),
    "forms a cycle": Case(
        on("circular"),
        ("response_cache needs retriever needs response_cache", "circular-arc 1.0",
         "circular_arc.py:7", "let one of them ask for Lazy[…] of the other"),
    ),
    "leaks in aclose": Case(
        on("leaking"),
        ("hooks: leak (leaking-arc 1.0) did not close", "socket is busy", "leaking_arc.py:7"),
        exit_code=0,
    ),
    "two for one slot": Case(
        on("cache-one", "cache-two"),
        ("one (cache-one-arc 1.0)", "two (cache-two-arc 1.0)",
         "set components.response_cache to 'one' or 'two'"),
    ),
    "a broken guard": Case(
        on("broken-guard"),
        ("broken-guard (broken-guard-arc 1.0)", "brings a guard", "ModuleNotFoundError",
         "'broken-guard' to plugins.disabled"),
    ),
    "an unknown name in disabled": Case(
        ("--set", "plugins.disabled=twin,haf"), ("plugins.disabled", "'haf'", "write 'half'")
    ),
    "an unknown name in enabled": Case(
        on("haf"), ("plugins.enabled", "'haf'", "write 'half'")
    ),
    "an unknown name in required": Case(
        (*on("half"), "--set", "plugins.required=haf"), ("'haf'", "write 'half'")
    ),
    "a required plugin that is broken": Case(
        (*on("half"), "--set", "plugins.required=half"),
        ("half (half-arc 1.0)", "plugins.required names it", "half_arc.py:9"),
    ),
    "an unknown name in components": Case(
        (*on("cache-one"), "--set", "components.response_cache=on"),
        ("components.response_cache", "'on'", "write 'one'"),
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """An environment with all of the packages."""
    folder = tmp_path_factory.mktemp("environment")
    environment = Environment.create(folder / "venv")
    packages = [
        write_package(
            folder,
            f"{name}-arc",
            source=source,
            entry_points={"arc": {_plugin(name): f"{name.replace('-', '_')}_arc"}},
        )
        for name, source in SOURCES.items()
    ]
    guard = {"arc.guards": {"broken-guard": "nowhere_to_be_found:Guard"}}
    packages.append(write_package(folder, "broken-guard-arc", entry_points=guard))
    install(environment, *packages)
    return environment


def _plugin(name: str) -> str:
    return "twin" if name.startswith("twin") else name


@pytest.fixture(scope="module")
def forked_arc(environment: Environment) -> Iterator[ForkedArc]:
    """Runs `arc` there, in forks of one process that has imported none of the plugins."""
    python = str(environment.folder / "bin" / "python")
    with ForkedArc.start(python, bare_environment(), disabled=["twin"]) as arc:
        yield arc


@pytest.fixture
def run(forked_arc: ForkedArc, tmp_path: Path) -> Callable[..., CompletedProcess[str]]:
    """Runs `arc run` there with some options."""

    def run(*options: str) -> CompletedProcess[str]:
        question = ("run", "2+2", "--provider", "offline", *options)
        return forked_arc.run(*question, folder=tmp_path, variables=bare_environment())

    return run


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_the_message_says_what_where_and_what_to_do(
    run: Callable[..., CompletedProcess[str]], case: Case
) -> None:
    """In less than ten lines, without a traceback."""
    process = run(*case.options)

    assert process.returncode == case.exit_code, process.stderr
    said = re.sub(r"^→.*\n|^✓.*\n", "", process.stderr, flags=re.MULTILINE)
    missing = [text for text in case.said if text not in said]
    assert missing == [], said
    assert len(said.splitlines()) < 10
    assert "Traceback" not in said
    assert re.search(r"To fix it: |repair or uninstall|leak", said)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["cannot be imported", "raises while registering", "two for one slot", "forms a cycle"]
)
def test_a_traceback_is_there_for_those_who_ask(
    run: Callable[..., CompletedProcess[str]], name: str
) -> None:
    """Nothing else changes."""
    case = CASES[name]

    process = run(*case.options, "--traceback")

    assert process.returncode == case.exit_code
    assert "Traceback" in process.stderr
    assert all(text in process.stderr for text in case.said)


@pytest.mark.slow
def test_half_a_registration_is_rolled_back(
    run: Callable[..., CompletedProcess[str]], environment: Environment, tmp_path: Path
) -> None:
    """What was registered before the error takes no part."""
    table = environment.attempt_arc("conditions", "--json", *on("half"), cwd=tmp_path)

    assert '"name": "half"' not in table.stdout


@pytest.mark.slow
def test_a_start_that_hangs_is_given_up_at_its_timeout(
    environment: Environment, tmp_path: Path
) -> None:
    """The message says whose start, where it is written, and after how long."""
    command = ("run", "2+2", "--provider", "offline", *on("hanging"))

    process = environment.attempt("-c", START_WITHIN_A_SECOND, *command, cwd=tmp_path)

    assert process.returncode == 2
    assert "hooks: slow (hanging-arc 1.0) did not start" in process.stderr
    assert "it took longer than 0.5 s" in process.stderr
    assert "hanging_arc.py:7" in process.stderr


@pytest.mark.slow
def test_a_late_override_is_refused(environment: Environment, tmp_path: Path) -> None:
    """The error says why it comes too late, and when it would not."""
    (tmp_path / "arc.toml").write_text(
        '[plugins]\nautoload = false\ndisabled = ["twin", "broken-guard"]\n', "utf-8"
    )

    process = environment.attempt("-c", LATE_OVERRIDE, cwd=tmp_path)

    assert process.returncode == 1
    *_, what, why, remedy = process.stderr.splitlines()
    assert what.endswith("WiringFrozenError: response_cache can no longer be overridden")
    assert why == "  - the application has started"
    assert remedy.startswith("To fix it: override it right after Application(…)")


@pytest.mark.slow
def test_a_syntax_error_in_a_file_is_told_with_its_place(
    run: Callable[..., CompletedProcess[str]], tmp_path: Path
) -> None:
    """File, line and column."""
    (tmp_path / "arc.toml").write_text('[llm]\nmodel = "small\n', "utf-8")

    process = run()

    assert process.returncode == 2
    assert "arc.toml cannot be read" in process.stderr
    assert "line 2" in process.stderr
    assert "Traceback" not in process.stderr
    assert len(process.stderr.splitlines()) < 10
