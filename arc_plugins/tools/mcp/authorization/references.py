"""Credentials in the settings of a server: `${credential:github}`, of the owner of each run."""

import hashlib
import re
from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import SecretStr

from arc_core import Credential
from arc_plugins.tools.mcp.settings import CREDENTIAL, McpServerSettings

_MASK = "***"


def fill_in(
    settings: McpServerSettings, found: Mapping[str, Credential], *, own: str
) -> McpServerSettings:
    """Return the settings of a server for one owner.

    Args:
        settings: With references.
        found: The credentials of the owner, by service.
        own: The service of the server itself, whose token is sent as the protocol says.
    """
    env, headers = (_replace(each, found) for each in (settings.env, settings.headers))
    if own in found:
        token = found[own].token.get_secret_value()
        headers["Authorization"] = SecretStr(f"Bearer {token}")
    return settings.model_copy(update={"env": env, "headers": headers})


def drop_references(settings: McpServerSettings) -> McpServerSettings:
    """Return the settings of a server for nobody, without what needs the credential of a user."""
    env, headers = (
        {
            name: each
            for name, each in values.items()
            if not CREDENTIAL.search(each.get_secret_value())
        }
        for values in (settings.env, settings.headers)
    )
    return settings.model_copy(update={"env": env, "headers": headers})


def _replace(
    values: Mapping[str, SecretStr], found: Mapping[str, Credential]
) -> dict[str, SecretStr]:
    def fill(match: re.Match[str]) -> str:
        return found[match[1]].token.get_secret_value()

    return {
        name: SecretStr(CREDENTIAL.sub(fill, value.get_secret_value()))
        for name, value in values.items()
    }


def hash_tokens(found: Mapping[str, Credential]) -> str:
    """Return a text that is another one for other tokens, and tells nothing of them."""
    texts = (f"{name}\0{each.token.get_secret_value()}" for name, each in sorted(found.items()))
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()


def mask_tokens(value: Any, tokens: Iterable[str]) -> Any:
    """Return what a server has sent, without the tokens that it was given."""
    if isinstance(value, str):
        for token in tokens:
            value = value.replace(token, _MASK)
        return value
    if isinstance(value, list):
        return [mask_tokens(each, tokens) for each in value]
    if isinstance(value, dict):
        return {
            mask_tokens(name, tokens): mask_tokens(each, tokens) for name, each in value.items()
        }
    return value
