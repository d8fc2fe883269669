"""Files of Google's service accounts, whose private key is made once."""

import json
from functools import cache
from pathlib import Path

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa


def write_account(path: Path, *, token_uri: str) -> None:
    """Write the file of a service account that gets its tokens at an address."""
    facts = {
        "type": "service_account",
        "project_id": "of-the-file",
        "client_email": "a@of-the-file.iam.example",
        "private_key": _make_private_key(),
        "private_key_id": "1",
        "token_uri": token_uri,
    }
    path.write_text(json.dumps(facts))


@cache
def _make_private_key() -> str:
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    private = serialization.PrivateFormat.PKCS8
    none = serialization.NoEncryption()
    return key.private_bytes(serialization.Encoding.PEM, private, none).decode()
