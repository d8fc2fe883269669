"""A stranger's package takes effect when it is installed and is gone when it is uninstalled."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.architecture.source import ROOT
from tests.packaging.environment import Environment

pytestmark = [pytest.mark.pip, pytest.mark.timeout(300)]

CARD = "Charge 4111 1111 1111 1111."
RUN = """
import asyncio, json, sys
from arc_autoconfig import Application

async def main():
    async with Application() as app:
        result = await app.execute(sys.argv[1])
        print(json.dumps([result.success, result.error_code, result.error_message]))

asyncio.run(main())
"""


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """An environment where Arc is installed and the example is not."""
    return Environment.create(tmp_path_factory.mktemp("environment") / "venv")


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """The example package, as a user would have checked it out."""
    return shutil.copytree(
        ROOT / "examples" / "acme_arc",
        tmp_path / "acme_arc",
        ignore=shutil.ignore_patterns("build", "*.egg-info", "__pycache__"),
    )


@pytest.fixture
def installed(environment: Environment, package: Path) -> Iterator[Environment]:
    """The environment with the example package installed."""
    environment.pip("install", "--no-build-isolation", str(package), cwd=package.parent)
    yield environment
    environment.pip("uninstall", "--yes", "acme-arc", cwd=package.parent)


def run(environment: Environment, prompt: str, folder: Path) -> list[object]:
    """Success, code and message of a run in a program that knows nothing of any plugin."""
    journal = str(folder / "journal.jsonl")
    result: list[object] = json.loads(
        environment.python("-c", RUN, prompt, cwd=folder, ACME_JOURNAL=journal)
    )
    return result


@pytest.mark.slow
def test_an_installed_guard_and_hook_take_effect(installed: Environment, tmp_path: Path) -> None:
    """After `pip install` alone, the guard rejects and the hook writes its line."""
    result = run(installed, CARD, tmp_path)

    assert result == [False, "GUARD_REJECTED", "Please leave card numbers out of your message."]
    lines = (tmp_path / "journal.jsonl").read_text().splitlines()
    assert [json.loads(line)["error"] for line in lines] == ["GUARD_REJECTED"]


@pytest.mark.slow
def test_an_installed_guard_lets_others_in(installed: Environment, tmp_path: Path) -> None:
    """A prompt that the guard has nothing against is answered."""
    success, code, _ = run(installed, "What is 2 + 2?", tmp_path)

    assert (success, code) == (True, None)


@pytest.mark.slow
def test_the_report_names_distribution_and_version(installed: Environment, tmp_path: Path) -> None:
    """`arc conditions` says where the guard came from."""
    report = installed.arc("conditions", "--json", cwd=tmp_path)

    assert "acme-arc" in report
    assert "1.2.0" in report
    json.loads(report)


@pytest.mark.slow
def test_an_uninstalled_package_is_gone(
    environment: Environment, package: Path, tmp_path: Path
) -> None:
    """After `pip uninstall`, the same prompt is answered and no line is written."""
    environment.pip("install", "--no-build-isolation", str(package), cwd=package.parent)
    environment.pip("uninstall", "--yes", "acme-arc", cwd=package.parent)

    success, code, _ = run(environment, CARD, tmp_path)

    assert (success, code) == (True, None)
    assert not (tmp_path / "journal.jsonl").exists()
    assert "acme" not in environment.arc("conditions", "--json", cwd=tmp_path)


@pytest.mark.slow
def test_the_packages_own_tests_pass(installed: Environment, package: Path) -> None:
    """The example's tests run against its installed distribution."""
    output = installed.python("-m", "pytest", "-q", "-p", "no:cacheprovider", cwd=package)

    assert "passed" in output
