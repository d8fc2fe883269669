"""The protocols' own clients, which are JavaScript: installed once, and run by node."""

import asyncio
import hashlib
import json
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import pytest

__all__ = ["NodeClient"]

_SOURCE = Path(__file__).parent / "node"
_TIMEOUT_S = 60


class NodeClient:
    """Runs a program of the folder `node` with the packages that its `package.json` names.

    Args:
        folder: Has the packages and the programs.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @classmethod
    def install(cls) -> "NodeClient":
        """Install the packages, unless that was done before; skips the test if it cannot be."""
        npm = shutil.which("npm")
        if npm is None or shutil.which("node") is None:
            pytest.skip("node and npm are not installed, which the protocol's own client needs")
        sources = sorted(_SOURCE.iterdir())
        digest = hashlib.sha256(b"".join(each.read_bytes() for each in sources)).hexdigest()
        folder = Path(tempfile.gettempdir()) / f"arc-node-clients-{digest[:16]}"
        if not folder.exists():
            _fill(npm, folder)
        return cls(folder)

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


def _fill(npm: str, folder: Path) -> None:
    """Install beside, then move: several test processes may do this at once."""
    with tempfile.TemporaryDirectory(prefix="arc-node-") as made:
        place = Path(made) / "clients"
        shutil.copytree(_SOURCE, place)
        install = [npm, "install", "--no-package-lock", "--no-audit", "--no-fund", "--silent"]
        try:
            subprocess.run(install, cwd=place, check=True, capture_output=True, timeout=300)
        except (OSError, subprocess.SubprocessError) as error:
            pytest.skip(f"npm cannot install the protocol's own client ({type(error).__name__})")
        try:
            place.rename(folder)
        except OSError:
            assert folder.exists(), "another process has moved its own there"
