"""Requests to the endpoints of services: bounded, and of what a service answers nothing is told."""

import asyncio
import json
from collections.abc import Mapping
from typing import Any, NamedTuple

import httpx2

from arc_core import AddressRules, ConfigurationError, CredentialError, ModelError, Service
from arc_core.text.address_rules import AddressRefusedError
from arc_core.wire.checked_client import CheckedClient
from arc_core.wire.guarded_client import GuardedClient

ANSWER_WITHIN_S = 10.0

_MAX_BYTES = 65_536
_TOO_MANY = 429
_SERVER_ERROR = 500


class ServiceReply(NamedTuple):
    """The reply of an endpoint."""

    status: int
    answer: Mapping[str, Any]

    @property
    def is_success(self) -> bool:
        """True if the status says that it is what was asked for."""
        return self.status in range(200, 300)


class ServiceClients:
    """The clients of all services: one for those of the settings, one for each set of rules."""

    def __init__(self) -> None:
        self._clients: dict[AddressRules | None, GuardedClient] = {}

    async def aclose(self) -> None:
        """Close the connections."""
        while self._clients:
            await self._clients.popitem()[1].aclose()

    async def post(
        self, name: str, service: Service, url: str, *, body: str, headers: Mapping[str, str]
    ) -> ServiceReply:
        """Send something to an endpoint of a service.

        Args:
            name: Of the service.
            service: Says which addresses may be asked.
            url: Of the endpoint.
            body: As it is sent.
            headers: Beside `accept`.

        Raises:
            CredentialError: It does not answer, or not with an object in JSON.
        """
        client = self._find_client(service)
        kind = "token" if url == service.token_url else "registration"
        failure = _Failures(name, f"its {kind} endpoint")
        try:
            async with asyncio.timeout(ANSWER_WITHIN_S):
                response = await client.post(
                    url, content=body, headers={"accept": "application/json", **headers}
                )
        except TimeoutError:
            raise failure("does not answer", retryable=True) from None
        except AddressRefusedError as error:
            raise failure(f"has an address that is not asked: {error}") from None
        except httpx2.HTTPError:
            raise failure("cannot be reached", retryable=True) from None
        except (ModelError, ConfigurationError):  # a redirect, or too large an answer
            raise failure("does not answer with a token") from None
        return _read(failure, response)

    def _find_client(self, service: Service) -> GuardedClient:
        client, rules = self._clients.get(service.rules), service.rules
        if client is None:
            setting = service.setting
            client = (
                GuardedClient(max_reply_bytes=_MAX_BYTES, setting=setting)
                if rules is None
                else CheckedClient(rules, max_reply_bytes=_MAX_BYTES, setting=setting)
            )
            self._clients[rules] = client
        return client


class _Failures(NamedTuple):
    service: str
    endpoint: str

    def __call__(self, problem: str, *, retryable: bool = False) -> CredentialError:
        return CredentialError(
            f"{self.endpoint} {problem}", service=self.service, retryable=retryable
        )


def _read(failure: _Failures, response: httpx2.Response) -> ServiceReply:
    status = response.status_code
    if status >= _SERVER_ERROR or status == _TOO_MANY:
        raise failure(f"answers with status {status}", retryable=True)
    try:
        answer = json.loads(response.content)
    except (ValueError, RecursionError):
        answer = None
    if not isinstance(answer, dict):
        raise failure(f"answers with status {status} and no JSON")
    return ServiceReply(status, answer)
