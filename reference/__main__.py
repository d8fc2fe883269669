"""`python -m reference`: write `docs/api` and `docs/interfaces`; a bad docstring is an error."""

import sys
from collections.abc import Mapping

from reference.definitions import ROOT
from reference.interfaces import interface_index, interface_pages
from reference.pages import PACKAGES, index, pages, problems

__all__ = ["contents", "main"]


def contents() -> dict[str, Mapping[str, str]]:
    """The text of each page, by its name and its folder below `docs`."""
    return {
        "api": {**pages(), "index": index()},
        "interfaces": {**interface_pages(), "index": interface_index()},
    }


def main() -> int:
    """Write the pages.

    Returns:
        1 if there is a problem, which is printed; else 0.
    """
    for name, written in contents().items():
        folder = ROOT / "docs" / name
        folder.mkdir(exist_ok=True)
        for old in folder.glob("*.md"):
            old.unlink()
        for page, text in written.items():
            (folder / f"{page}.md").write_text(text, encoding="utf-8")
    found = [problem for package in PACKAGES for problem in problems(package)]
    for problem in found:
        print(problem, file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
