"""The protocols' own clients, which are JavaScript: installed once, and run by node."""

import asyncio
import hashlib
import json
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

__all__ = ["NodeClient"]

_SOURCE = Path(__file__).parent / "node"
_TIMEOUT_S = 60


class NodeClient:
    """Runs a program of the folder `node` with the packages that its `package.json` names.

    Args:
        folder: Has the programs, beside the packages.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @classmethod
    def install(cls) -> "NodeClient":
        """Install the packages, unless that was done before; skips the test if it cannot be."""
        npm = shutil.which("npm")
        if npm is None or shutil.which("node") is None:
            pytest.skip("node and npm are not installed, which the protocol's own client needs")
        packages = Path(tempfile.gettempdir()) / f"arc-node-clients-{_digest('*.json')}"
        _make(packages, lambda place: _install(npm, place))
        programs = packages / _digest("*.mjs")
        _make(programs, lambda place: shutil.copytree(_SOURCE, place, dirs_exist_ok=True))
        return cls(programs)

    async def run(self, program: str, **told: Any) -> Any:
        """What a program prints, as JSON."""
        process = await asyncio.create_subprocess_exec(
            "node",
            str(self._folder / program),
            json.dumps(told),
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        try:
            async with asyncio.timeout(_TIMEOUT_S):
                out, err = await process.communicate()
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
        assert process.returncode == 0, err.decode()
        return json.loads(out)


def _digest(pattern: str) -> str:
    contents = b"".join(each.read_bytes() for each in sorted(_SOURCE.glob(pattern)))
    return hashlib.sha256(contents).hexdigest()[:16]


def _make(folder: Path, fill: Callable[[Path], object]) -> None:
    """Fill a folder, and only then give it its name: several processes may do this at once."""
    if folder.exists():
        return
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix="arc-node-") as made:
        place = Path(made) / "made"
        place.mkdir()
        fill(place)
        try:
            place.rename(folder)
        except OSError:
            assert folder.exists(), "another process has put its own there"


def _install(npm: str, place: Path) -> None:
    shutil.copy(_SOURCE / "package.json", place)
    install = [npm, "install", "--no-package-lock", "--no-audit", "--no-fund", "--silent"]
    try:
        subprocess.run(install, cwd=place, check=True, capture_output=True, timeout=300)
    except (OSError, subprocess.SubprocessError) as error:
        pytest.skip(f"npm cannot install the protocols' own clients ({type(error).__name__})")
