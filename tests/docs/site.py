"""`python -m tests.docs.site FOLDER`: what is wrong with the links of a site that was built."""

import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

__all__ = ["dead_links"]


@dataclass
class _Page(HTMLParser):
    """The links and anchors of one page, and what a browser loads for it."""

    links: set[str] = field(default_factory=set)
    loaded: set[str] = field(default_factory=set)
    anchors: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep what an element points to, and its own anchor."""
        values = {name: value for name, value in attrs if value}
        self.anchors |= {values[name] for name in ("id", "name") if name in values}
        targets = {values[name] for name in ("href", "src") if name in values}
        if tag == "a":
            self.links |= targets
        else:
            self.loaded |= targets


def dead_links(site: Path) -> Iterator[str]:
    """Each link that leads to no file or anchor of the site, and what is loaded from elsewhere."""
    pages = {path: _read(path) for path in sorted(site.rglob("*.html"))}
    for path, page in pages.items():
        if path.name != "404.html":  # its links begin at the root of the server
            place = path.relative_to(site)
            yield from (
                f"{place} loads {url}, which is on another server"
                for url in sorted(page.loaded)
                if urlsplit(url).netloc
            )
            yield from (
                f"{place} links to {url}, which is not there"
                for url in sorted(page.links | page.loaded)
                if not _is_there(url, path, pages)
            )


def _read(path: Path) -> _Page:
    page = _Page()
    page.feed(path.read_text(encoding="utf-8"))
    page.close()
    return page


def _is_there(url: str, path: Path, pages: dict[Path, _Page]) -> bool:
    parts = urlsplit(url)
    if parts.scheme or parts.netloc:
        return True
    target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
    if target.is_dir():
        target /= "index.html"
    if not parts.fragment or target not in pages:
        return target.is_file()
    return unquote(parts.fragment) in pages[target].anchors


def main(site: str) -> int:
    """Print what is wrong.

    Returns:
        1 if there is something; else 0.
    """
    found = list(dead_links(Path(site).resolve()))
    sys.stderr.writelines(f"{problem}\n" for problem in found)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
