"""Markdown becomes elements, in a browser, and takes its time from no text."""

import re
from typing import Any

import pytest

from tests.browser.offers import application
from tests.serving import serving_app

pytestmark = [pytest.mark.slow, pytest.mark.asyncio(loop_scope="session")]

_RENDER = """
async (text) => {
  const { markdown } = await import("/page/markdown.js");
  const box = document.createElement("div");
  box.append(...markdown(text));
  for (const each of box.querySelectorAll(".code-head")) each.remove();
  return box.innerHTML;
}
"""
_TIME = """
async (text) => {
  const { markdown } = await import("/page/markdown.js");
  const begin = performance.now();
  markdown(text);
  return performance.now() - begin;
}
"""
FORMS = {
    "# Title #": "<h3>Title</h3>",
    "one\ntwo": "<p>one<br>two</p>",
    "**a** __b__ *c* _d_ ~~e~~": (
        "<p><strong>a</strong> <strong>b</strong> <em>c</em> <em>d</em> <del>e</del></p>"
    ),
    "**a *b* c**": "<p><strong>a <em>b</em> c</strong></p>",
    "snake_case_name 2 * 3 * 4": "<p>snake_case_name 2 * 3 * 4</p>",
    r"\*not\* `a*b*` ``x ` y``": (
        '<p>*not* <code dir="ltr">a*b*</code> <code dir="ltr">x ` y</code></p>'
    ),
    "- a\n  - b\n  - c\n- d": (
        '<ul><li><span class="line">a</span><ul><li><span class="line">b</span></li>'
        '<li><span class="line">c</span></li></ul></li><li><span class="line">d</span></li></ul>'
    ),
    "3. x\n4. y": (
        '<ol start="3"><li><span class="line">x</span></li>'
        '<li><span class="line">y</span></li></ol>'
    ),
    "> q\n> r": "<blockquote><p>q<br>r</p></blockquote>",
    "a\n\n---\n\nb": "<p>a</p><hr><p>b</p>",
    "<b>x</b> &amp; <!-- y -->": "<p>&lt;b&gt;x&lt;/b&gt; &amp;amp; &lt;!-- y --&gt;</p>",
    "```\n<i>\n**x**": (
        '<div class="code-block"><pre tabindex="0">'
        '<code dir="ltr">&lt;i&gt;\n**x**</code></pre></div>'
    ),
    "|a|b\n|-|-:\n|c\n|d|e|f": (
        '<div class="table-scroll" tabindex="0" role="region" aria-label="Table"><table><thead>'
        '<tr><th>a</th><th data-align="end">b</th></tr></thead><tbody><tr><td>c</td></tr>'
        '<tr><td>d</td><td data-align="end">e</td></tr></tbody></table></div>'
    ),
    "[a](data:text/html,x) [b](//evil.example) [c](/x)": (
        "<p>a (<bdi>data:text/html,x</bdi>) b (<bdi>//evil.example</bdi>) c (<bdi>/x</bdi>)</p>"
    ),
}
SLOW = ["`" * 20_000, "*a " * 6_000, "[" * 19_000, "**a" * 6_000, "> " * 9_000, "_a" * 9_000,
        "- " * 9_000, "|" * 19_000 + "\n" + "|-" * 9_000, "https://" * 2_000, "![a](" * 4_000,
        "\n".join("  " * n + "- a" for n in range(500)), "a" * 2_000_000, "a\n\n" * 20_000,
        "- a\n" * 20_000, "|a" * 3_000 + "\n" + "|-" * 3_000 + "\n" + ("|b" * 3_000 + "\n") * 9,
        "|c" * 3_000 + "\n" + "|-" * 3_000 + "\n" + "|\n" * 3_000]  # fmt: skip
_COLOUR = """
async (texts) => {
  const { colour } = await import("/page/colours.js");
  const found = {};
  for (const [language, text] of texts) {
    const code = document.createElement("code");
    code.textContent = text;
    const isColoured = await colour(code, text, language);
    found[language] = [isColoured, code.innerHTML];
  }
  return found;
}
"""
_ENDLESS = "[a](" * 10_000
_CODE = {
    "python": "if x < 1: '&lt;'",
    "json": '{"a": 1}',
    "html": '<span class="x">\u202e</span>',
    "no-language": "a b",
    "markdown": _ENDLESS,
    "sh": "echo $a",
}
_COLOURED = {
    "python": "<span>if</span> x &lt; <span>1</span>: <span>'&amp;lt;'</span>",
    "json": '<span>{</span><span>"a"</span><span>:</span> <span>1</span><span>}</span>',
    "no-language": "a b",
    "markdown": _ENDLESS,
    "sh": "<span>echo</span> <span>$a</span>",
}


async def test_each_form_has_its_elements(visiting: Any) -> None:
    """What is not Markdown is text; addresses that are not safe are not links."""
    app, _ = application()
    async with serving_app(app.asgi()) as address, visiting(address) as visit:
        found = {text: await visit.page.evaluate(_RENDER, text) for text in FORMS}

    assert found == FORMS


async def test_no_text_holds_the_page_for_long(visiting: Any) -> None:
    """Not even one that is made to."""
    app, _ = application()
    async with serving_app(app.asgi()) as address, visiting(address) as visit:
        times = {text[:20]: await visit.page.evaluate(_TIME, text) for text in SLOW}

    assert {text: ms for text, ms in times.items() if ms > 3_000} == {}


async def test_code_has_colours_and_stays_text(visiting: Any) -> None:
    """A library finds them in a worker; a text that would keep it busy for minutes has none."""
    app, _ = application()
    async with serving_app(app.asgi()) as address, visiting(address) as visit:
        found = await visit.page.evaluate(_COLOUR, list(_CODE.items()))

    coloured = {
        name: re.sub('<span class="hljs-[^"]+">', "<span>", found[name][1]) for name in found
    }
    html = coloured.pop("html")
    assert coloured == _COLOURED
    assert "&lt;" in html
    assert "U+202E" in html
    assert [name for name, (is_coloured, _) in found.items() if not is_coloured] == [
        "no-language",
        "markdown",
    ]
    assert visit.complaints == []
