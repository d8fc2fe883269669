"""The example programs do what they show, without a key and without a network."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"


def output_of(program: str, folder: Path) -> str:
    """What a program prints that is started in an empty folder without keys."""
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("ARC_") and not name.endswith("_API_KEY")
    }
    process = subprocess.run(
        [sys.executable, EXAMPLES / program],
        cwd=folder,
        env={**environment, "PYTHONUTF8": "1"},
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    assert process.stderr == ""
    return process.stdout


@pytest.mark.slow
def test_the_demo_calls_two_tools_at_once(tmp_path: Path) -> None:
    """Both start before either ends, and the answer has both results."""
    lines = output_of("first_agent.py", tmp_path).splitlines()

    signs = [line[0] for line in lines if line.startswith(("→", "←"))]
    assert signs == ["→", "→", "←", "←"]
    assert "- calculate(12.5% of 2480): 310" in lines
    assert any("- current_time(Seoul):" in line and "Asia/Seoul" in line for line in lines)


@pytest.mark.slow
@pytest.mark.parametrize("line", ["Seoul: 21 °C", "Busan: 24 °C"])
def test_the_smallest_agent_answers_twice(tmp_path: Path, line: str) -> None:
    """Once whole and once in a stream."""
    city, _, weather = line.partition(": ")

    assert f"get_weather({city}): {weather}" in output_of("weather_agent.py", tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("line", ["weather: - get_weather(Seoul)", "travel: - get_trains(Busan)"])
def test_two_agents_have_their_own_tools(tmp_path: Path, line: str) -> None:
    """Each answers with what it may call."""
    assert line in output_of("two_agents.py", tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("line", ["get_weather(Seoul): 21 °C", "get_weather(Busan): 24 °C"])
def test_a_notebook_needs_no_await(tmp_path: Path, line: str) -> None:
    """Though an event loop is running in it."""
    assert line in output_of("notebook.py", tmp_path)


@pytest.mark.slow
def test_the_tests_of_an_agent_pass(tmp_path: Path) -> None:
    """In a folder of their own, with nothing but pytest."""
    shutil.copy(EXAMPLES / "test_orders_agent.py", tmp_path)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist"]

    process = subprocess.run(
        command, cwd=tmp_path, capture_output=True, encoding="utf-8", check=False
    )

    assert "3 passed" in process.stdout, process.stdout
