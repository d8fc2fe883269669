"""Signature Version 4 as a server checks it, written from Amazon's documentation."""

import hmac
import re
from collections.abc import Mapping
from hashlib import sha256
from urllib.parse import quote

_AUTHORIZATION = re.compile(
    r"AWS4-HMAC-SHA256 Credential=(?P<key>[^/]+)/(?P<date>\d{8})/(?P<region>[^/]+)/"
    r"(?P<service>[^/]+)"
    r"/aws4_request, SignedHeaders=(?P<signed>[^,]+), Signature=(?P<signature>[0-9a-f]{64})"
)


def is_signed(path: str, headers: Mapping[str, str], body: bytes, *, secret: str) -> bool:
    """Check the signature of a POST; names of headers are in small letters."""
    found = _AUTHORIZATION.fullmatch(headers["authorization"])
    assert found, headers["authorization"]
    signed = found["signed"].split(";")
    assert {"host", "x-amz-date"} <= set(signed)
    canonical = "\n".join(
        [
            "POST",
            quote(path, safe="/-_.~"),
            "",
            *[f"{name}:{' '.join(headers[name].split())}" for name in signed],
            "",
            found["signed"],
            sha256(body).hexdigest(),
        ]
    )
    scope = f"{found['date']}/{found['region']}/{found['service']}/aws4_request"
    digest = sha256(canonical.encode()).hexdigest()
    text = f"AWS4-HMAC-SHA256\n{headers['x-amz-date']}\n{scope}\n{digest}"
    key = f"AWS4{secret}".encode()
    for part in (found["date"], found["region"], found["service"], "aws4_request", text):
        key = hmac.digest(key, part.encode(), "sha256")
    return hmac.compare_digest(key.hex(), found["signature"])
