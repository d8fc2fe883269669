"""Masking: secret-looking names are hidden at every depth, ordinary words are left alone."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arc_core.text.masking import MASK, mask_secrets, mask_text

SECRET_NAMES = [
    "password", "passwords", "PASSWORD2", "db_password1", "passwd", "pwd", "token",
    "accessToken", "refresh_token", "token2", "apikey", "api_key", "apiKey", "APIKey",
    "api_keys", "apiKeys", "openai_api_key", "X-API-Key", "ACCESS_KEY", "private_key",
    "signing-key", "secretKey", "clientSecretValue", "secrets", "Authorization", "auth",
    "HTTPAuthToken", "bearer", "cookie", "set-cookie", "cookies", "credentials", "jwt",
    "userPin", "ssn", "encryption_key", "encryptionKey", "decryption_key", "ssh_key", "sshKey",
    "SSH_KEYS", "master_key", "host_key", "account_key", "storageKey", "license_key", "gpg_key",
    "rsa_key", "tls_key", "webhook_key", "access_key_id", "aws_secret_access_key", "accesskey",
    "privatekey", "clientsecret", "otp", "OTP", "otpCode", "totp_seed", "one_time_otp", "mfa",
    "cvv", "cvv2", "CVC", "pin_code", "puk", "dsn", "SENTRY_DSN", "connection_string",
    "connectionString", "database_url", "DATABASE_URL", "redis_url", "mongodb_uri",
    "webhook_url", "sas", "sas_url", "session_id", "sessionid", "sessionKey", "passphrase",
    "passcode", "pass", "db_pass", "smtp_pass", "client_secret", "proxy-authorization", "csrf",
    "xsrf-token", "oauth", "oauth2", "access_tokens", "refreshTokens", "pem", "keystore",
    "creds", "verification_code", "security_code", "recoveryCodes", "seed_phrase", "mnemonic",
    "iban", "card_number", "credit_card", "creditCardNumber", "kubeconfig", "authentication",
]  # fmt: skip
ORDINARY_NAMES = [
    "monkey", "keyboard", "tokenizer", "max_tokens", "author", "spinner", "opinion",
    "secretary", "key", "primary_key", "city", "passenger", "cookiecutter", "비밀번호", "", "_",
    "1", "foreign_key", "sort_key", "cache_key", "public_key", "keys", "keynote", "hotkey",
    "code", "codec", "zip_code", "country_code", "url", "image_url", "base_url", "session",
    "sessions", "ping", "pinned", "boarding_pass", "passage", "bypass", "tokens",
    "total_tokens", "optics", "option", "essay", "sash", "pemmican", "card", "cardinal",
    "phone_number", "seed", "phrase", "connection", "database", "string", "user_id", "dsnippet",
]  # fmt: skip

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(ORDINARY_NAMES), inner, max_size=3)
    ),
    max_leaves=10,
)


@pytest.mark.parametrize("name", SECRET_NAMES)
def test_values_of_secret_names_are_hidden(name: str) -> None:
    """A name with a secret word in it hides its value, however the name is written."""
    assert mask_secrets({name: "hunter2"}) == {name: MASK}


@pytest.mark.parametrize("name", ORDINARY_NAMES)
def test_values_of_ordinary_names_stay(name: str) -> None:
    """A name that only contains the letters of a secret word keeps its value."""
    assert mask_secrets({name: "hunter2"}) == {name: "hunter2"}


@given(json_values, st.sampled_from(SECRET_NAMES))
def test_secrets_are_hidden_at_every_depth(surroundings: object, name: str) -> None:
    """Whatever stands around a secret, its value does not come through."""
    arguments = {"outer": [{"inner": ({name: "hunter2"}, surroundings)}]}

    masked = mask_secrets(arguments)

    assert "hunter2" not in json.dumps(masked)


@pytest.mark.slow
@given(st.dictionaries(st.sampled_from(ORDINARY_NAMES), json_values))
def test_values_without_secrets_are_unchanged(arguments: dict[str, object]) -> None:
    """If nothing is secret, the copy equals the original."""
    assert mask_secrets(arguments) == arguments


def test_a_secret_hides_all_that_is_below_it() -> None:
    """A secret object is hidden whole."""
    assert mask_secrets({"credentials": {"user": "ann"}}) == {"credentials": MASK}


def test_the_original_is_left_alone() -> None:
    """Masking makes a copy: the tool still gets its real arguments."""
    arguments = {"login": {"password": "hunter2"}}

    mask_secrets(arguments)

    assert arguments == {"login": {"password": "hunter2"}}


@pytest.mark.parametrize(
    "arguments",
    [
        {f"token{number}": number for number in range(30_000)},
        {"rows": list(range(100_000))},
        {"rows": [{"secret": number} for number in range(30_000)]},
    ],
    ids=["names", "list", "rows"],
)
def test_a_copy_of_large_arguments_is_bounded(arguments: dict[str, object]) -> None:
    """It has the first 5000 values, and a sign for the rest."""
    text = json.dumps(mask_secrets(arguments), ensure_ascii=False)

    assert "…" in text
    assert len(text) < 100_000


def test_arguments_nested_deeply_are_masked_down_to_a_depth() -> None:
    """What is further inside is left out, and nothing fails."""
    arguments: dict[str, object] = {"password": "hunter2"}
    for _ in range(5000):
        arguments = {"a": arguments}

    masked = json.dumps(mask_secrets(arguments), ensure_ascii=False)

    assert masked.count("a") == 100
    assert "…" in masked


def test_a_name_too_long_to_be_read_is_secret() -> None:
    """Whatever its words are, its value does not come through."""
    assert mask_secrets({"a_" * 500_000: "hunter2"}) == {"a_" * 500_000: MASK}


MASKED_TEXTS = {
    "password=hunter2": "password=***",
    "DB_PASSWORD: 'hunter 2', port: 5": "DB_PASSWORD: ***, port: 5",
    'an unclosed password="hunter2': "an unclosed password=***",
    '{"api_key": "hunter2"}': '{"api_key": ***}',
    "url = https://h/?api_key=hunter2&x=1": "url = https://h/?api_key=***&x=1",
    "Authorization: Basic hunter2 and more": "Authorization: *** and more",
    "sent Bearer hunter2hunter2": "sent ***",
    "key sk-hunter2hunter2hunter2!": "key ***!",
    "ghp_hunter2hunter2hunter2": "***",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.hunter2": "***",
    "postgres://ann:hun@ter/2@db/x": "postgres://***@db/x",
    "https://hunter2@host/x": "https://***@host/x",
    "-----BEGIN RSA PRIVATE KEY-----\nhunter2\n-----END RSA PRIVATE KEY----- a": "*** a",
    "-----BEGIN PRIVATE KEY-----\nhunter2": "***",
}
ORDINARY_TEXTS = [
    "No customer 'an'. Did you mean 'ann'?", "token count: 5", "monkey=1, tokenizer: x",
    "https://example.com/users/@me", "https://host:8080/@me", "max_tokens=5",
    "mail ann@example.com",
]  # fmt: skip
# Each would take seconds if the time grew with the square of the length.
SLOW_TEXTS = ["://a:", "a", "a-", "a=", "a='", 'password="', "-----BEGIN ", "eyJaaaaaaaa.", "x@"]


@pytest.mark.parametrize(("text", "masked"), MASKED_TEXTS.items())
def test_secrets_in_a_text_are_hidden(text: str, masked: str) -> None:
    """By the name before them, by their place in an address, or by their form."""
    assert mask_text(text) == masked


@pytest.mark.parametrize("text", ORDINARY_TEXTS)
def test_ordinary_texts_stay(text: str) -> None:
    """What only resembles a secret is left alone."""
    assert mask_text(text) == text


@pytest.mark.slow
@pytest.mark.parametrize("piece", SLOW_TEXTS)
def test_masking_a_long_text_ends(piece: str) -> None:
    """The time grows with the length, whatever a text repeats."""
    assert mask_text(piece * (500_000 // len(piece)))
