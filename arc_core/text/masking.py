"""Hides secrets before they reach a log or a model: by their names, and in texts by their form."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise, product
from typing import Any

MASK = "***"

# fmt: off
_SECRET_WORDS = frozenset({
    "apikey", "apikeys", "accesskey", "privatekey", "secretkey", "signingkey", "encryptionkey",
    "sshkey", "accesstoken", "authtoken", "clientsecret", "sessionid", "connectionstring",
    "connstr", "auth", "authentication", "authorization", "bearer", "cookie", "cookies",
    "credential", "creds", "credentials", "csrf", "cvc", "cvv", "dsn", "hmac", "htpasswd",
    "iban", "jwe", "jws", "jwt", "keystore", "kubeconfig", "mfa", "mnemonic", "oauth", "otp",
    "otps", "passcode", "passcodes", "passphrase", "passphrases", "passwd", "password",
    "passwords", "pem", "pfx", "pin", "pins", "puk", "pwd", "sas", "secret", "secrets", "ssn",
    "token", "totp", "xsrf",
})
_KEY_WORDS = (
    "access", "account", "admin", "aes", "api", "app", "auth", "client", "consumer", "crypto",
    "decryption", "deploy", "encryption", "gpg", "host", "license", "master", "pgp",
    "private", "root", "rsa", "service", "session", "shared", "signing", "ssh", "ssl",
    "storage", "subscription", "tls", "webhook", "wrapping",
)
_TOKEN_WORDS = ("access", "api", "auth", "bearer", "id", "refresh", "session")
_CODE_WORDS = (
    "auth", "backup", "confirmation", "login", "pin", "recovery", "security", "verification",
)
_PASS_WORDS = ("admin", "db", "email", "ftp", "mail", "proxy", "root", "smtp", "user")
_ADDRESS_WORDS = (
    "amqp", "broker", "connection", "database", "db", "mongo", "mongodb", "mysql", "postgres",
    "postgresql", "redis", "webhook",
)
_CARD_WORDS = ("credit", "debit")
# fmt: on
_SECRET_PAIRS = frozenset(
    pair
    for first_words, second_words in (
        (_KEY_WORDS, ("key", "keys")),
        (_TOKEN_WORDS, ("tokens",)),
        (_CODE_WORDS, ("code", "codes")),
        (_PASS_WORDS, ("pass",)),
        (_ADDRESS_WORDS, ("url", "uri", "string")),
        (_CARD_WORDS, ("card", "cards")),
        (("card",), ("number", "numbers")),
        (("session",), ("id", "ids")),
        (("recovery", "seed"), ("phrase", "phrases", "words")),
    )
    for pair in product(first_words, second_words)
)
_MAX_NAME_CHARS = 200
_MAX_VALUES = 5000
_MAX_DEPTH = 100
_LEFT_OUT = "…"
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


# Repetitions are bounded, so that the time grows with the length of a text only.
_CREDENTIALS = re.compile(r"(?<=://)[^\s\"'<>@/?#:]{0,128}(?::(?!\d{1,5}[/?#])[^\s\"'<>]{0,128})?@")
_PRIVATE_KEY = re.compile(
    r"-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----.*?(?:-----END [A-Z ]{0,30}PRIVATE KEY-----|\Z)",
    re.DOTALL,
)
_KNOWN_KEYS = re.compile(
    r"(?<![A-Za-z0-9])(?:"
    r"sk-[\w-]{16,}|gh[oprsu]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|xox[abeprs]-[\w-]{10,}|"
    r"A[KS]IA[0-9A-Z]{16}|AIza[\w-]{30,}|eyJ[\w-]{8,}\.[\w-]{4,}\.[\w-]*|"
    r"(?i:bearer)\s{1,3}[\w.~+/=-]{12,})"
)
_NAME_AND_SIGN = re.compile(r"(?<![\w-])([\w-]{1,64})[\"']?\s{0,3}[:=]\s{0,3}")
_VALUE = re.compile(
    r"\"[^\"]{0,1000}\"|'[^']{0,1000}'|(?:(?i:basic|bearer|token)\s{1,3})?[\"']?[^\s\"',;&{}\[\]()]+"
)


def mask_secrets(values: Mapping[str, Any]) -> dict[str, Any]:
    """A copy in which the value of every secret-looking name is `***`, at every depth.

    Names of more than 200 characters count as secret. Of what has more than 5000 values the rest is
    left out, and of what is nested in more than 100 levels the inside; `…` stands in its place.
    """
    masked: dict[str, Any] = _Copy().of_mapping(values, depth=1)
    return masked


def mask_text(text: str) -> str:
    """A text in which what looks like a secret is `***`.

    Seen are values of secret-looking names (`password=…`), credentials in an address, private keys
    in PEM, and keys of well-known forms (`sk-…`, `Bearer …`). A secret of another form is not seen.
    """
    text = _PRIVATE_KEY.sub(MASK, text)
    text = _CREDENTIALS.sub(f"{MASK}@", text)
    return "".join(_without_named_values(_KNOWN_KEYS.sub(MASK, text)))


def _without_named_values(text: str) -> Iterator[str]:
    """The pieces of a text, `***` in place of the value of each secret-looking name."""
    shown = 0
    for name in _NAME_AND_SIGN.finditer(text):
        if (
            name.start() >= shown
            and _is_secret(name[1])
            and (value := _VALUE.match(text, name.end()))
        ):
            yield text[shown : name.end()]
            yield MASK
            shown = value.end()
    yield text[shown:]


def _is_secret(name: str) -> bool:
    """Return if a name has a secret word in it: `userToken` has, `tokenizer` has not."""
    if len(name) > _MAX_NAME_CHARS:
        return True
    words = [word.lower() for word in _WORD.findall(name)]
    return (
        words == ["pass"]  # a word like any other beside others: boarding pass
        or not _SECRET_WORDS.isdisjoint(words)
        or any(pair in _SECRET_PAIRS for pair in pairwise(words))
    )


class _Copy:
    """Copies until it has so many values that the event loop would be held for long."""

    def __init__(self) -> None:
        self._left = _MAX_VALUES

    def of_mapping(self, values: Mapping[str, Any], *, depth: int) -> dict[str, Any]:
        copy: dict[str, Any] = {}
        for name, value in values.items():
            if not self._left:
                copy[_LEFT_OUT] = _LEFT_OUT
                break
            self._left -= 1
            copy[name] = MASK if _is_secret(name) else self._of(value, depth=depth + 1)
        return copy

    def _of_list(self, values: Sequence[Any], *, depth: int) -> list[Any]:
        copy: list[Any] = []
        for value in values:
            if not self._left:
                copy.append(_LEFT_OUT)
                break
            self._left -= 1
            copy.append(self._of(value, depth=depth + 1))
        return copy

    def _of(self, value: Any, *, depth: int) -> Any:
        if not isinstance(value, Mapping | list | tuple):
            return value
        if depth > _MAX_DEPTH:
            return _LEFT_OUT
        if isinstance(value, Mapping):
            return self.of_mapping(value, depth=depth)
        return self._of_list(value, depth=depth)
