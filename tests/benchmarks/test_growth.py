"""The curves of growth are measured and drawn, at a small size."""

import math
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from benchmarks.growth import CURVES, find_power
from benchmarks.plots import draw_curve
from tests.architecture.source import ROOT


def test_a_power_is_that_of_the_end() -> None:
    """What a curve did before does not hide how it grows now."""
    assert math.isclose(find_power([1, 10, 100], [5, 5, 500]), 2)


def test_a_plot_has_a_point_for_each_size() -> None:
    """On logarithmic axes, a power is a straight line."""
    plot = ET.fromstring(draw_curve([1, 10, 100], [2, 20, 200], title="t", x_axis="x", y_axis="y"))

    points = [
        (float(point.attrib["cx"]), float(point.attrib["cy"]))
        for point in plot.iter("{http://www.w3.org/2000/svg}circle")
    ]

    (left, low), middle, (right, high) = points
    assert middle == pytest.approx(((left + right) / 2, (low + high) / 2), abs=0.1)
    assert left < right
    assert high < low


@pytest.mark.slow
def test_every_curve_is_measured_and_drawn(tmp_path: Path) -> None:
    """A file for each."""
    pytest.importorskip("aiosqlite", reason="needs the extra sql")
    command = [sys.executable, "-m", "benchmarks.growth", "--small", "--times", "1"]

    process = subprocess.run(
        [*command, "--svg", str(tmp_path)], cwd=ROOT, capture_output=True, text=True, check=False
    )

    assert process.returncode == 0, process.stderr
    assert process.stdout.count("power") == len(CURVES)
    assert {path.name for path in tmp_path.iterdir()} == {f"growth-{name}.svg" for name in CURVES}
