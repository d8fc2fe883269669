"""The page of the shop, which the AI SDK drives: `GET /desk`."""

from collections.abc import Collection, Sequence
from pathlib import Path

from starlette.routing import BaseRoute, Mount
from starlette.staticfiles import StaticFiles

from arc_core import ServedApplication, Surface


class DeskPage(Surface):
    """The files of the page; its questions go to `/ai-sdk/front_desk`, with the customer's key."""

    order = 200
    public_paths: Collection[str] = ("/desk", "/desk/")

    def routes(self, application: ServedApplication) -> Sequence[BaseRoute]:
        """The page and its files."""
        folder = Path(__file__).with_name("page")
        return [Mount("/desk", StaticFiles(directory=folder, html=True))]
