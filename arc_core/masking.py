"""Hides the values of secret-looking names before they reach a log."""

import re
from collections.abc import Mapping
from itertools import pairwise, product
from typing import Any

__all__ = ["MASK", "mask_secrets"]

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
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


def mask_secrets(values: Mapping[str, Any]) -> dict[str, Any]:
    """A copy in which the value of every secret-looking name is `***`, at every depth."""
    return {name: MASK if _is_secret(name) else _masked(value) for name, value in values.items()}


def _is_secret(name: str) -> bool:
    """Whether a name has a secret word in it: `userToken` has, `tokenizer` has not."""
    words = [word.lower() for word in _WORD.findall(name)]
    return (
        words == ["pass"]  # a word like any other beside others: boarding pass
        or not _SECRET_WORDS.isdisjoint(words)
        or any(pair in _SECRET_PAIRS for pair in pairwise(words))
    )


def _masked(value: Any) -> Any:
    if isinstance(value, Mapping):
        return mask_secrets(value)
    if isinstance(value, list | tuple):
        return [_masked(item) for item in value]
    return value
