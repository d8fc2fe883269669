"""How long a vendor asks to wait: milliseconds, seconds or a date, and nothing else."""

from datetime import UTC, datetime

import pytest

from arc_core.wire import retry_after_s

NOW = datetime(2026, 11, 20, 12, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "7"}, 7),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after-ms": "1500"}, 1.5),
        ({"retry-after-ms": "1500", "retry-after": "7"}, 1.5),
        ({"retry-after-ms": "soon", "retry-after": "7"}, 7),
        ({"retry-after": "Fri, 20 Nov 2026 12:00:30 GMT"}, 30),
        ({"retry-after": "Fri, 20 Nov 2026 12:00:30 -0000"}, 30),
        ({"retry-after": "Fri, 20 Nov 2026 14:00:30 +0200"}, 30),
    ],
)
def test_what_a_vendor_says_is_understood(headers: dict[str, str], seconds: float) -> None:
    """All the forms in use give seconds."""
    assert retry_after_s(headers, now=NOW) == seconds


@pytest.mark.parametrize("value", ["-3", "Fri, 20 Nov 2026 11:00:00 GMT"])
def test_the_past_is_now(value: str) -> None:
    """A wait is never negative."""
    assert retry_after_s({"retry-after": value}, now=NOW) == 0


@pytest.mark.parametrize("value", ["", "soon", "nan", "inf", "Fri, 99 Nov 2026 25:00:00 GMT"])
def test_nonsense_says_nothing(value: str) -> None:
    """What is neither a number nor a date is as good as nothing."""
    assert retry_after_s({"retry-after": value}, now=NOW) is None


def test_no_header_says_nothing() -> None:
    """Most refusals come without one."""
    assert retry_after_s({}, now=NOW) is None
