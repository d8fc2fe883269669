"""Requests to a vendor's models at a host, and what the host's errors mean."""

from collections.abc import Mapping, Sequence
from typing import Any

from arc_core.errors import ConfigurationError, ModelError
from arc_core.interfaces.models.host import Host, HostedModels, HostFailure
from arc_core.log import get_logger
from arc_core.settings import LlmSettings
from arc_core.wire.model_errors import PayloadError, model_error
from arc_core.wire.payloads import json_bytes, json_value

logger = get_logger("hosts")

_MAX_CHARS = 500
_MAX_BODY_BYTES = 65_536
_STREAMED = b',"stream":true'


def open_host(hosts: Sequence[Host], api: str, settings: LlmSettings) -> HostedModels | None:
    """The models at the host that the settings name; None if they name none.

    Raises:
        ConfigurationError: No such host is installed, or it cannot be asked.
    """
    if not settings.host:
        return None
    for host in hosts:
        if host.name == settings.host:
            return host.open(api, settings)
    known = ", ".join(sorted(each.name for each in hosts)) or "none"
    raise ConfigurationError(
        f"llm.host is {settings.host!r}, and there is no host of that name for this chat model",
        evidence=[f"known are: {known}"],
        remedy="correct llm.host, or install the package that brings the host",
    )


def fit_body(body: bytes, hosted: HostedModels, *, model: str, extra: Mapping[str, Any]) -> bytes:
    """The body of a request with the fields that a host wants, without those it refuses.

    It begins with `model`, `stream` stands behind all objects, and what users add goes first.
    """
    if "model" in hosted.omitted_fields:
        head = b'{"model":%s,' % json_bytes(model)
        if body.startswith(head):
            body = b"{" + body[len(head) :]
    if "stream" in hosted.omitted_fields:
        before, found, behind = body.rpartition(_STREAMED)
        body = before + behind if found else body
    added = {name: value for name, value in hosted.added_fields.items() if name not in extra}
    return add_fields(body, added)


def add_fields(body: bytes, fields: Mapping[str, Any]) -> bytes:
    """The JSON object with more fields behind its own, of which it has at least one."""
    return b"%s,%s" % (body[:-1], json_bytes(fields)[1:]) if fields else body


def read_failure(error: Exception) -> HostFailure | None:
    """The facts of an error that came from the server; None if nothing came."""
    if isinstance(error, PayloadError):
        body = json_bytes(error.payload)
        return HostFailure(status=None, headers={}, payload=error.payload, body=body)
    response = getattr(error, "response", None)
    if response is None:
        return None
    try:
        body = bytes(response.content[:_MAX_BODY_BYTES])
        payload = json_value(body)
    except (ValueError, RuntimeError):  # no JSON, or a body that was not read
        body, payload = b"", None
    return HostFailure(
        status=response.status_code, headers=response.headers, payload=payload, body=body
    )


def explain_error(hosted: HostedModels, error: Exception, translated: ModelError) -> ModelError:
    """An error, translated by the vendor's table, in the words of the host, with its remedy."""
    failure = read_failure(error)
    if failure is None:
        return translated
    explanation = hosted.explain(failure)
    request_id = find_request_id(hosted, failure.headers)
    named = f" (request {request_id})" if request_id else ""
    remedy = f". To fix it: {explanation.remedy}" if explanation.remedy else ""
    said = str(translated)
    if remedy:
        said = said.partition(". To fix it: ")[0].rstrip(".")
    text = said[: _MAX_CHARS - len(named) - len(remedy)] + named + remedy
    explained = model_error(explanation.error_type or type(translated), text, failure.headers)
    if explained.retry_after_s is None:
        explained.retry_after_s = translated.retry_after_s
    return explained


def find_request_id(hosted: HostedModels, headers: Mapping[str, str]) -> str | None:
    """The id by which the host knows a request; None if it says none."""
    found = (headers.get(name) for name in hosted.request_id_headers)
    return next((each[:100] for each in found if each), None)
