"""What late turns of a long run cost, in that of early ones."""

import pytest

pytest.importorskip("openai", reason="needs the extra openai")
pytest.importorskip("anthropic", reason="needs the extra anthropic")
pytest.importorskip("bpe_openai", reason="needs the extra tokens")

from benchmarks.long_run_costs import Turn, compare_cpu


def test_only_turns_with_requests_of_a_size_are_compared() -> None:
    """A late turn whose request is twice as large does not count."""
    early = [Turn(100, 1.0, 0)] * 50
    late = [Turn(105, 1.2, 0), Turn(200, 9.0, 0)] * 10

    assert compare_cpu([*early, *late]) == pytest.approx(1.2)
