"""Secrets that stand behind a name, and passwords in addresses."""

import re
from base64 import b64decode
from collections.abc import Callable, Iterator, Mapping
from functools import partial

from arc_core.text.cleaning import show
from arc_plugins.output_guards.leak_detection.placeholders import is_placeholder, looks_random
from arc_plugins.output_guards.leak_detection.scanning import Excerpt, LeakFinding, find_end
from arc_plugins.output_guards.leak_detection.tokens import SECRET, places

LOOK_BACK_CHARS = 80
# As they are shown: letters that look like Latin ones are those.
_PASSWORDS = tuple(
    show(each).text
    for each in (
        *("passw", "passphrase", "pwd", "비밀번호", "비번", "암호", "패스워드"),
        *("パスワード", "暗証番号", "密码", "密碼", "口令", "пароль"),
        *("contraseña", "senha", "mot de passe", "kennwort", "wachtwoord", "hasło"),
    )
)
NAMES = (*_PASSWORDS, "secret", "token", "credential", "key")
_KINDS_OF_KEYS = (
    "api", "access", "private", "account", "auth", "signing", "encryption", "master", "service",
)  # fmt: skip
_KINDS_OF_PLACES = ("page", "cursor", "continuation", "sync", "next")
_MAX_KIND_CHARS = 14
_SIGN = re.compile(
    r"[A-Za-z0-9_-]{0,18}\\{0,3}[\"'`*]{0,3}[ \t]{0,3}"
    r"(?:(?::=|=>|[:=])[*]{0,2}[ \t]{0,3}(?:[|>][+-]?[ \t]{0,3})?(?:(?:\r?\n|\\{1,4}n)[ \t]{1,16})?"
    r"|[ \t]{0,16}\|[ \t]{0,16})"
    r"(?:[Bb]earer |[Bb]asic )?"
)
_LOGIN = re.compile(r"[A-Za-z0-9+/]{0,512}={0,2}")
_LOGIN_FORM = re.compile(r"[\w.@+-]{1,64}:[!-~]{3}")
_COOKIES = re.compile(
    r"2?[\"'`]?[ \t]{0,3}[:=][ \t]{0,3}[\"'`]?((?:;[ \t]{0,3}|[^\s\"'`,;]){0,4096})"
)
_COOKIE_VALUE = re.compile(r"(?<==)[^;\s]{16,512}")
_QUOTED = re.compile(r"(\\{0,3}[\"'`])((?:(?!\1)[^\s\\]){0,512})")
_BARE = re.compile(r"[A-Za-z0-9_+/~.!@#%^*-]{0,512}={0,2}")
_MARKUP = "*~."
_EXPRESSION = re.compile(r"\$\{|\$\(|\{\{|<[\w .-]+>|%\(|os\.|env[.\[]|process\.|://")
_CODE = frozenset("([{<$")
_MIN_BARE_CHARS, _MIN_QUOTED_CHARS, _MIN_PLAIN_CHARS = 16, 10, 16
_MIN_PASSWORD_CHARS = 8
_CLASSES = tuple(re.compile(each) for each in ("[a-z]", "[A-Z]", "[0-9]", "[^A-Za-z0-9]"))
_HEXADECIMAL = re.compile(r"(?=[a-f]*[0-9])[0-9a-f]{16,}+")
_STRONG, _JUDGED_CHARS = 3, 80
_USER_AND_PASSWORD = re.compile(r"[^\s/?#\"'<>@`\\\[\]]{0,256}@?")
_WEAK = frozenset(
    ("password", "passwd", "pass", "pw", "pwd", "secret", "token", "key", "changeme", "x", "xxx")
)
_AT, _KEY_CHARS = "://", 32


def find_assignments(excerpt: Excerpt) -> Iterator[LeakFinding]:
    """Values of secret-looking names that look generated: `api_key = "…"`, `Bearer …`, cookies."""
    text = excerpt.text
    has_sign = ":" in text or "=" in text or "|" in text
    if not has_sign and "earer " not in text and "EARER " not in text:
        return
    lowered, since = lower(text), excerpt.begin - LOOK_BACK_CHARS
    for name in NAMES if has_sign else ():
        if name in lowered:
            for place in places(lowered, name, since=since):
                sign = _SIGN.match(text, place + len(name))
                if sign and _is_secret_name(lowered, place, name):
                    yield from _find_value(excerpt, sign.end(), is_password=name in _PASSWORDS)
    for scheme, find in _SCHEMES.items():
        if scheme in lowered:
            for place in places(lowered, scheme, since=since):
                yield from find(excerpt, place + len(scheme))


def _find_login(excerpt: Excerpt, place: int) -> Iterator[LeakFinding]:
    """User and password in base64, as in `Authorization: Basic …`."""
    end = find_end(_LOGIN, excerpt.text, place)
    if place < excerpt.begin or end == place:
        return
    if (is_open := excerpt.is_open(end)) or _is_login(excerpt.text[place:end].rstrip("=")):
        yield LeakFinding(start=place, end=end, mask=SECRET, is_open=is_open)


def _is_login(code: str) -> bool:
    whole = code[: len(code) - (len(code) % 4 == 1)]
    login = b64decode(whole + "=" * (-len(whole) % 4)).decode("latin-1")
    return _LOGIN_FORM.match(login) is not None and _is_password(login)


def _find_cookies(excerpt: Excerpt, place: int) -> Iterator[LeakFinding]:
    """All cookies of a header, if one of them looks generated."""
    found = _COOKIES.match(excerpt.text, place)
    if found is None or found.start(1) < excerpt.begin or found.start(1) == len(excerpt.text):
        return
    start, end = found.span(1)
    is_open = excerpt.is_open(end)
    if is_open or any(
        is_secret(each[0][:_JUDGED_CHARS], least=_MIN_BARE_CHARS)
        for each in _COOKIE_VALUE.finditer(excerpt.text, start, end)
    ):
        yield LeakFinding(start=start, end=end, mask=SECRET, is_open=is_open)


def lower(text: str) -> str:
    """Small letters, each in its place."""
    lowered = text.lower()
    if len(lowered) == len(text):
        return lowered
    return "".join(char.lower() if len(char.lower()) == 1 else char for char in text)


def is_password_name(name: str, *, whole: bool = False) -> bool:
    """Return whether a name in lower case has a word for passwords, or is one."""
    return name in _PASSWORDS if whole else any(each in name for each in _PASSWORDS)


def _is_secret_name(lowered: str, place: int, word: str) -> bool:
    """Return whether a word is part of the name of a secret; most keys and some tokens are none."""
    before = lowered[max(0, place - _MAX_KIND_CHARS) : place].rstrip("_- ")
    if word == "key":
        return before.endswith(_KINDS_OF_KEYS)
    return word != "token" or not before.endswith(_KINDS_OF_PLACES)


def _find_value(excerpt: Excerpt, place: int, *, is_password: bool) -> Iterator[LeakFinding]:
    text, least = excerpt.text, _MIN_PASSWORD_CHARS if is_password else None
    quoted = _QUOTED.match(text, place)
    value = quoted or _BARE.match(text, place)
    assert value is not None  # either may be empty
    start, end = (quoted.start(2), quoted.end(2)) if quoted else value.span()
    if start < excerpt.begin or start == len(text):
        return
    if excerpt.is_open(end):
        yield LeakFinding(start=start, end=end, mask=SECRET, is_open=True)
        return
    judged = text[start : min(end, start + _JUDGED_CHARS)]
    if quoted:
        if is_secret(judged, least=least or _MIN_QUOTED_CHARS):
            yield LeakFinding(start=start, end=end, mask=SECRET)
    elif text[end : end + 1] not in _CODE:
        first, _, _ = judged.partition(".")  # else it is an expression of a program
        if is_secret(first.rstrip("!"), least=least or _MIN_BARE_CHARS):
            end = start + len(text[start:end].rstrip(_MARKUP))
            yield LeakFinding(start=start, end=end, mask=SECRET)


def is_secret(value: str, *, least: int) -> bool:
    """Return whether a value looks generated, and not made up for a tutorial."""
    if len(value) < least or _EXPRESSION.search(value) or is_placeholder(value):
        return False
    classes = sum(1 for each in _CLASSES if each.search(value))
    if not (classes >= _STRONG or len(value) >= _MIN_PLAIN_CHARS):
        return False
    return looks_random(value) or _is_hexadecimal(value)


def _is_hexadecimal(value: str) -> bool:
    return _HEXADECIMAL.fullmatch(value) is not None and not value.isdigit()


def find_passwords_in_addresses(excerpt: Excerpt) -> Iterator[LeakFinding]:
    """User and password in `scheme://user:password@host`."""
    if _AT not in excerpt.text:
        return
    for place in places(excerpt.text, _AT, since=excerpt.begin - len(_AT)):
        start = place + len(_AT)
        end = find_end(_USER_AND_PASSWORD, excerpt.text, start)
        if start == len(excerpt.text):
            return
        if excerpt.is_open(end):
            yield LeakFinding(start=start, end=end, mask=SECRET, is_open=True)
        elif excerpt.text[end - 1] == "@" and _is_password(excerpt.text[start : end - 1]):
            yield LeakFinding(start=start, end=end - 1, mask=SECRET)


def _is_password(login: str) -> bool:
    user, colon, password = login.partition(":")
    if not colon and len(user) == _KEY_CHARS and _is_hexadecimal(user):
        return True  # as of Sentry
    if not colon or password in ("", user) or password.lower() in _WEAK:
        return False
    # In documentation it is `your-password`.
    is_filler = len(set(password)) > 1 and "password" in password.lower()
    return not (set(password) <= set("*x.") or password[0] in "${<[*%" or is_filler)


_SCHEMES: Mapping[str, Callable[[Excerpt, int], Iterator[LeakFinding]]] = {
    "bearer ": partial(_find_value, is_password=False),
    "basic ": _find_login,
    "cookie": _find_cookies,
}
