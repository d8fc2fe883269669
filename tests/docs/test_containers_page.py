"""The page of proxies and containers: what it has people write down can be read."""

import re
import shlex
import tomllib
from typing import Any

import click
import pytest
import yaml

from arc_autoconfig.cli.main import arc
from tests.architecture.source import ROOT

PAGE = (ROOT / "docs" / "proxies.md").read_text(encoding="utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def blocks(language: str) -> list[str]:
    """The blocks of the page in a language."""
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)


def services() -> dict[str, Any]:
    """The services of the Compose file."""
    found: dict[str, Any] = yaml.safe_load(blocks("yaml")[0])["services"]
    return found


@pytest.mark.parametrize("name", ["server", "worker"])
def test_the_services_run_commands_of_arc(name: str) -> None:
    """Options and all; they get the time to stop that the page asks for, and are probed."""
    service = services()[name]

    program, *words = service["command"]
    context = arc.make_context(program, words, resilient_parsing=True)
    subcommand = arc.get_command(context, words[0])
    assert isinstance(subcommand, click.Command)
    subcommand.make_context(words[0], words[1:], parent=context)
    assert int(service["stop_grace_period"].removesuffix("s")) >= 40
    compile(service["healthcheck"]["test"][-1], "healthcheck", "exec")


def test_the_services_need_others_that_there_are() -> None:
    """And the health of each that is waited for is checked."""
    needed = {each for service in services().values() for each in service.get("depends_on", ())}

    assert needed == {"database"}
    assert "healthcheck" in services()["database"]


def test_the_image_has_what_its_commands_need() -> None:
    """Extras that there are, by instructions that Docker has, and a command without a shell."""
    (dockerfile,) = blocks("dockerfile")
    instructions = [line.partition(" ") for line in dockerfile.splitlines()]

    extras = re.findall(r"arc-agents\[([a-z,]+)\]", dockerfile)[0].split(",")
    assert set(extras) <= PROJECT["optional-dependencies"].keys()
    assert {"server", "durable"} <= set(extras)
    assert {each[0] for each in instructions} <= set(
        shlex.split("FROM RUN USER WORKDIR COPY ENV EXPOSE CMD")
    )
    assert yaml.safe_load(instructions[-1][2]) == ["arc", "serve", "--host", "0.0.0.0"]


def test_the_probes_ask_paths_that_are_served() -> None:
    """Of Kubernetes: alive, and ready."""
    probes = yaml.safe_load(blocks("yaml")[1])

    paths = [probes[f"{each}Probe"]["httpGet"]["path"] for each in ("liveness", "readiness")]
    assert paths == ["/health/live", "/health/ready"]
