"""The data that an address carries to its host, read as by a browser."""

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass
from unicodedata import normalize
from urllib.parse import unquote

from arc_plugins.output_guards.leak_detection.placeholders import looks_random


@dataclass(frozen=True, slots=True, kw_only=True)
class _Bounds:
    """The bounds of an address, in characters.

    Attributes:
        query: Query and fragment, together.
        value: One value of a query, or a fragment.
        path: The path.
        segment: One name of the path.
        run: Of letters and digits that look random.
        hexadecimal: Of hexadecimal digits: a commit has 40, a digest 64.
    """

    query: int
    value: int
    path: int
    segment: int
    run: int
    hexadecimal: int


_LINK = _Bounds(query=160, value=80, path=250, segment=120, run=48, hexadecimal=64)
_IMAGE = _Bounds(query=64, value=32, path=160, segment=80, run=40, hexadecimal=64)
_SCHEME = re.compile(r"(?i)(?:[a-z]{2,5}:)?/*")
_STRIPPED = re.compile("[\t\r\n\u00ad\u200b-\u200d\u2060\ufeff]")
_PORT = re.compile(r":[0-9]*\Z")
_RUN = re.compile(r"[A-Za-z0-9_+=~-]+")
_HEXADECIMAL = re.compile(r"[0-9a-fA-F-]+\Z")
_ENCODED_ASCII = re.compile(r"%(?:3[0-9]|[46][1-9A-Fa-f]|[57][0-9Aa])")
_MAIL = re.compile(r"[\w.+-]{2}@[\w-]{2,63}\.\w")
_VALUES = re.compile(r"[&;=#?]")
# What services that serve images are told about their look; more is not needed to show one.
_LAYOUT = frozenset((
    "width", "height", "size", "dpr", "quality", "fit", "crop", "rect", "format", "fm", "auto",
    "ext", "type", "mode", "bg", "color", "colour", "background", "theme", "style", "logo",
    "logocolor", "label", "labelcolor", "branch", "event", "flag", "ver", "version", "rev",
    "raw", "alt", "display", "family", "subset", "font", "page",
))  # fmt: skip
_LETTER_AND_NUMBER = re.compile(r"[a-zA-Z]=[0-9.x]{0,8}\Z")
_PLAIN_VALUE = re.compile(r"[\w.,:@+*#|-]{0,16}\Z", re.ASCII)
_MAX_FRAGMENT_CHARS = 24
_MAX_ENCODED, _MAX_LABEL_CHARS, _MAX_HOST_CHARS = 3, 40, 100
_MAX_NAME_CHARS = 253  # no longer one can be looked up
_SHORT_CHARS, _SPECIAL = 50, frozenset("?#%&@")
_SLASHES = str.maketrans("\\", "/")
_DOTS = str.maketrans({"\u3002": ".", "\uff0e": ".", "\uff61": "."})


class AllowedHosts:
    """Hosts that may be told anything: `docs.example.com`, `*.example.com` for all below."""

    def __init__(self, patterns: Sequence[str]) -> None:
        hosts = [
            (_normal_host(each.removeprefix("*.")), each.startswith("*.")) for each in patterns
        ]
        self._exact = frozenset(host for host, is_below in hosts if not is_below)
        self._below = tuple(f".{host}" for host, is_below in hosts if is_below)

    def __contains__(self, host: str) -> bool:
        return host in self._exact or host.endswith(self._below)


def carries_data(address: str, allowed: AllowedHosts, *, is_fetched: bool) -> bool:
    """Return whether an address takes more to a foreign host than its reader needs to get there.

    It has a scheme or two slashes. Less may be in one that is fetched without a click, as images.
    """
    if len(address) <= _SHORT_CHARS and _SPECIAL.isdisjoint(address):
        return False  # all bounds are wider
    login, host, target = _split(address)
    if host in allowed:
        return False
    bounds = _IMAGE if is_fetched else _LINK
    longest = max(host.split("."), key=len)
    is_telling = len(longest) > _MAX_LABEL_CHARS and looks_random(longest)
    if login or len(host) > _MAX_HOST_CHARS or is_telling or _is_long(target, bounds):
        return True
    return is_fetched and not _is_layout(target)


def is_allowed(address: str, allowed: AllowedHosts) -> bool:
    """Return whether an address is one of a host that is not foreign."""
    _, host, _ = _split(address)
    return host in allowed


def _split(address: str) -> tuple[str, str, str]:
    """Return the login, the host, and what stands behind it."""
    plain = _STRIPPED.sub("", html.unescape(address)).translate(_SLASHES)
    scheme = _SCHEME.match(plain)
    rest = plain[scheme.end() :] if scheme else plain
    authority = re.split(r"[/?#]", rest, maxsplit=1)[0]
    login, _, place = authority.rpartition("@")
    return login, _normal_host(_PORT.sub("", place)), rest[len(authority) :]


def _is_layout(target: str) -> bool:
    """Return whether query and fragment only say how an image is to look."""
    path, _, fragment = target.partition("#")
    _, _, query = path.partition("?")
    if len(fragment) > _MAX_FRAGMENT_CHARS:
        return False
    return all(_is_of_layout(pair) for pair in re.split("[&;]", unquote(query)) if pair)


def _is_of_layout(pair: str) -> bool:
    name, sign, value = pair.partition("=")
    if _LETTER_AND_NUMBER.match(pair):
        return True
    is_known = name.lower() in _LAYOUT or not sign
    return is_known and _PLAIN_VALUE.match(value or name) is not None


def _is_long(target: str, bounds: _Bounds) -> bool:
    """Return whether path, query and fragment are more than names and a question."""
    if sum(1 for _ in _ENCODED_ASCII.finditer(target)) > _MAX_ENCODED:
        return True  # a browser never writes letters and digits like this
    place = re.search(r"[?#]", target)
    path, query = (target[: place.start()], target[place.start() :]) if place else (target, "")
    path, query = unquote(path), unquote(query)
    if len(path) > bounds.path or len(query) > bounds.query or _MAIL.search(query):
        return True
    if any(len(each) > bounds.segment for each in path.split("/")):
        return True
    if any(len(each) > bounds.value for each in _VALUES.split(query)):
        return True
    return any(
        len(run) > bounds.hexadecimal
        if _HEXADECIMAL.match(run)
        else len(run) > bounds.run and looks_random(run)
        for run in _RUN.findall(f"{path} {query}")
    )


def _normal_host(host: str) -> str:
    """A host as two spellings of it have it in common."""
    plain = normalize("NFKC", unquote(host).translate(_DOTS)).lower().strip("[]").rstrip(".")
    if plain.isascii() or len(plain) > _MAX_NAME_CHARS:
        return plain
    try:
        return plain.encode("idna").decode("ascii")
    except UnicodeError:
        return plain
