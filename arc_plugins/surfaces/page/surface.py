"""The page of an application: `GET /`, and its files below `/page/`.

It talks to the other surfaces as any client does, with a key if the server has keys; the files
themselves are for everyone. There is no build step, and nothing comes from other hosts: the policy
that goes with the files says so to the browser, which then runs no script and loads no image that
a model might have written. Code is coloured by highlight.js, whose files and licence lie beside the
page's own, in a worker: some texts would keep it busy for minutes.
"""

from collections.abc import Collection, Sequence
from importlib import resources

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from arc_core import ServedApplication, Surface
from arc_core.serving import Problem

_POLICY = "; ".join((
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data: blob:",
    "connect-src 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "worker-src 'self'",
    "trusted-types arc-colours",  # names one script, for a worker; markup is never made
))  # fmt: skip
_HEADERS = {
    "content-security-policy": _POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "cache-control": "no-cache",
}
_TYPES = {
    "css": "text/css; charset=utf-8",
    "html": "text/html; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
    "txt": "text/plain; charset=utf-8",
}


class PageSurface(Surface):
    """For people."""

    order = 50
    public_paths: Collection[str] = ("/", "/page/")

    def routes(self, application: ServedApplication) -> Sequence[BaseRoute]:
        """The page and its files."""
        del application  # it is asked over HTTP
        files = _Files()
        return [Route("/", files.index), Route("/page/{name}", files.file)]


class _Files:
    def __init__(self) -> None:
        folder = resources.files("arc_plugins.surfaces.page").joinpath("data")
        self._contents = {each.name: each.read_bytes() for each in folder.iterdir()}

    async def index(self, _: Request) -> Response:
        return self._response("index.html")

    async def file(self, request: Request) -> Response:
        return self._response(request.path_params["name"])

    def _response(self, name: str) -> Response:
        content = self._contents.get(name)
        if content is None:
            raise Problem(404, "not_found", "The page has no such file.")
        media_type = _TYPES[name.rpartition(".")[2]]
        return Response(content, media_type=media_type, headers=_HEADERS)
