"""The support desk and the company's starter package, installed together."""

from pathlib import Path

import pytest

from tests.arc_plugins.postgres_server import postgres_url
from tests.packaging.environment import Environment
from tests.packaging.test_example_packages import sources

pytestmark = [pytest.mark.pip, pytest.mark.slow, pytest.mark.timeout(600)]


def test_the_desk_passes_its_own_tests(tmp_path: Path) -> None:
    """Questions, rights, a worker that is killed, and a deploy, in processes and PostgreSQL."""
    environment = Environment.create(tmp_path / "venv")
    packages = sources(tmp_path, "company_starter", "support_desk")
    installed = ("install", "--no-build-isolation", "--no-deps")
    environment.pip(*installed, *map(str, packages), cwd=tmp_path)
    with postgres_url() as url:
        output = environment.python(
            *("-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist"),
            cwd=packages[1],
            DESK_DATABASE_URL=url.rpartition("/")[0] + "/support_desk",
        )

    assert "5 passed" in output
