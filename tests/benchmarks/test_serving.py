"""What serving costs and holds, measured small."""

import pytest

from tests.benchmarks.printed_rows import rows_of

pytestmark = pytest.mark.slow


@pytest.mark.timing
def test_all_streams_complete() -> None:
    """Their texts are checked by the reader; the costs say little at this size."""
    head, *rows = rows_of("serving", "load", "--streams", "10", "--rounds", "1")

    assert [len(row) for row in rows] == [len(head)] * 2


def test_connections_that_leave_leave_nothing() -> None:
    """In the middle of a stream or of a request: tasks and files are those of the beginning."""
    head, first, *rows = rows_of("serving", "leaving", "--connections", "100", "--rounds", "1")
    tasks, files = head.index("tasks"), head.index("files")

    assert [(row[tasks], row[files]) for row in rows] == [(first[tasks], first[files])] * 2
    assert all(float(row[-1]) < 1 for row in rows)
