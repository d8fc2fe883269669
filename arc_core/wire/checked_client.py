"""A client for addresses that another server has named.

A name is resolved once, each of its addresses is checked, and the connection goes to one of those:
between check and connection no other can take its place. Proxies of the environment are not used,
since they would resolve the name again.
"""

import asyncio
import socket
from collections.abc import Iterable
from typing import Any

import httpcore2
import httpx2

from arc_core.text.address_rules import AddressRefusedError, AddressRules
from arc_core.wire.guarded_client import GuardedClient


class CheckedClient(GuardedClient):
    """A guarded client that asks only what the rules allow.

    Args:
        rules: For every address, and all that its name leads to.
        max_reply_bytes: Of the body of one response.
        setting: Where what it is for is set, for remedies.
    """

    def __init__(self, rules: AddressRules, *, max_reply_bytes: int, setting: str) -> None:
        super().__init__(
            max_reply_bytes=max_reply_bytes,
            setting=setting,
            trust_env=False,
            transport=_CheckedTransport(rules),
        )
        self._rules = rules

    async def send(
        self, request: httpx2.Request, *, stream: bool = False, **options: Any
    ) -> httpx2.Response:
        """The response to a request; see `GuardedClient`.

        Raises:
            AddressRefusedError: The rules do not allow the address, or one its name leads to.
        """
        self._rules.check(str(request.url))
        return await super().send(request, stream=stream, **options)


class _CheckedTransport(httpx2.AsyncHTTPTransport):
    def __init__(self, rules: AddressRules) -> None:
        super().__init__(trust_env=False)
        # The transport has no parameter for the backend of its pool.
        self._pool._network_backend = _CheckedBackend(rules, self._pool._network_backend)  # noqa: SLF001


class _CheckedBackend(httpcore2.AsyncNetworkBackend):
    def __init__(self, rules: AddressRules, backend: httpcore2.AsyncNetworkBackend) -> None:
        self._rules, self._backend = rules, backend

    async def connect_tcp(  # noqa: PLR0917 -- the signature is httpcore's
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        ips = self._rules.check_ips(host, port, await _resolve(host, port))
        *others, last = ips
        for ip in others:
            try:
                return await self._backend.connect_tcp(
                    ip, port, timeout, local_address, socket_options
                )
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout):
                continue
        return await self._backend.connect_tcp(last, port, timeout, local_address, socket_options)

    async def sleep(self, seconds: float) -> None:
        await self._backend.sleep(seconds)


async def _resolve(host: str, port: int) -> list[str]:
    loop = asyncio.get_running_loop()
    try:
        found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise AddressRefusedError("its name is not known") from None
    return list(dict.fromkeys(str(each[4][0]) for each in found))
