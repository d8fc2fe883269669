"""A virtual environment of a test's own, with a real pip."""

import os
import shutil
import subprocess
import sysconfig
import venv
from dataclasses import dataclass
from pathlib import Path

from tests.architecture.source import PACKAGES, ROOT

__all__ = ["Environment", "bare_environment", "copy_sources"]

_ARC = "import sys; from arc_autoconfig.cli.main import main; sys.exit(main())"


@dataclass(frozen=True)
class Environment:
    """What is installed here is installed on top of what the test run itself can import.

    So pip, Arc and its libraries are there without being installed again, and installing or
    uninstalling changes nothing outside: pip refuses to touch what is not the environment's own.
    """

    folder: Path

    @classmethod
    def create(cls, folder: Path) -> "Environment":
        """Make the environment; no network is needed for it."""
        venv.create(folder, symlinks=True)
        packages = folder / "lib" / f"python{sysconfig.get_python_version()}" / "site-packages"
        outer = sysconfig.get_paths()["purelib"]
        packages.joinpath("outer.pth").write_text(f"import site; site.addsitedir({outer!r})\n")
        return cls(folder)

    def python(self, *arguments: str, cwd: Path, **variables: str) -> str:
        """Run the environment's Python to its end, outside the repository.

        Returns:
            What it wrote to standard output.

        Raises:
            AssertionError: It failed; with all it wrote.
        """
        process = self.attempt(*arguments, cwd=cwd, **variables)
        assert process.returncode == 0, process.stdout + process.stderr
        return process.stdout

    def attempt(
        self, *arguments: str, cwd: Path, **variables: str
    ) -> subprocess.CompletedProcess[str]:
        """Run the environment's Python to its end, which may be a failure."""
        return subprocess.run(
            [str(self.folder / "bin" / "python"), *arguments],
            cwd=cwd,
            env=bare_environment() | variables,
            capture_output=True,
            text=True,
            check=False,
        )

    def pip(self, *arguments: str, cwd: Path) -> str:
        """Run the environment's pip; it may not reach out for anything."""
        return self.python("-m", "pip", *arguments, cwd=cwd, PIP_NO_INDEX="1")

    def arc(self, *arguments: str, cwd: Path, **variables: str) -> str:
        """Run the command `arc`, as the environment sees it."""
        return self.python("-c", _ARC, *arguments, cwd=cwd, **variables)

    def attempt_arc(
        self, *arguments: str, cwd: Path, **variables: str
    ) -> subprocess.CompletedProcess[str]:
        """Run the command `arc` to its end, which may be a failure."""
        return self.attempt("-c", _ARC, *arguments, cwd=cwd, **variables)


def bare_environment() -> dict[str, str]:
    """The variables of this process without those that change what is wired or measured."""
    dropped = ("ARC_", "OPENAI_", "ANTHROPIC_", "COV_", "COVERAGE_", "PYTEST_", "PYTHON", "PIP_")
    kept = {name: text for name, text in os.environ.items() if not name.startswith(dropped)}
    return kept | {"PIP_DISABLE_PIP_VERSION_CHECK": "1"}


def copy_sources(target: Path) -> Path:
    """Copy what Arc is built from, so that building leaves nothing behind among the sources."""
    files = [ROOT / name for name in ("pyproject.toml", "README.md", "LICENSE")]
    files += [path for package in PACKAGES for path in (ROOT / package).rglob("*")]
    for path in files:
        if path.is_file() and path.suffix != ".pyc":
            place = target / path.relative_to(ROOT)
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, place)
    return target
