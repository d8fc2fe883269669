"""Endpoints whose libraries are imported with the first request for them."""

import asyncio
from collections.abc import Awaitable, Callable
from importlib import import_module
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send


class Deferred:
    """An object that answers the requests of a surface, made when the first of them comes.

    A surface whose library is slow to import has its routes at once, and a server that gets no
    request of that protocol never imports the library.

    Args:
        place: The class or function that makes it, `package.module:Class`.
        arguments: Of the call, which happens in a thread. If it raises, so does the request, and
            the next one tries again.
        keywords: Likewise.
    """

    def __init__(self, place: str, /, *arguments: object, **keywords: object) -> None:
        self._place, self._arguments, self._keywords = place, arguments, keywords
        self._made: Any = None

    @property
    def made(self) -> Any:
        """The object; None until the first request."""
        return self._made

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand on to an object that is an ASGI application."""
        await (await self.get())(scope, receive, send)

    async def get(self) -> Any:
        """Return the object, the same for all requests."""
        if self._made is None:
            module, _, name = self._place.partition(":")

            def make() -> Any:
                return getattr(import_module(module), name)(*self._arguments, **self._keywords)

            made = await asyncio.to_thread(make)
            if self._made is None:  # another request may have come in between
                self._made = made
        return self._made

    def endpoint(self, method: str) -> Callable[[Request], Awaitable[Response]]:
        """Return the endpoint for a route: a method of the object."""

        async def answer(request: Request) -> Response:
            made = await self.get()
            response: Response = await getattr(made, method)(request)
            return response

        return answer
