"""What a release needs: `python -m reference.release notes`, and `… build --url ADDRESS`.

`build` makes the sdist and the wheel in `dist`, from a copy whose README has absolute addresses,
since an index shows it without the files beside it, and checks both as the index will.
"""

import argparse
import hashlib
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
_LINK = re.compile(r"(!?)(\[[^\]]*\]\()(?!https?:|#|mailto:)([^)]+\))")
_IGNORED = (".*", "build", "dist", "__pycache__", "*.egg-info", "node_modules")


def read_version() -> str:
    """The version of `pyproject.toml`."""
    version: str = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    return version


def find_notes(changelog: str, version: str) -> str:
    """Return the section of the changelog about a version.

    Raises:
        LookupError: It has none.
    """
    found = re.search(
        rf"^## \[{re.escape(version)}\].*?\n(.*?)(?=^## \[|\Z)", changelog, re.M | re.S
    )
    if found is None:
        raise LookupError(
            f"CHANGELOG.md has no section [{version}]: rename [Unreleased] to it, with its date, "
            "and begin a new [Unreleased] above"
        )
    return found[1].strip() + "\n"


def make_absolute(readme: str, url: str, version: str) -> str:
    """Return a README whose links and images lead to the files of the version at a repository."""

    def replace(found: re.Match[str]) -> str:
        kind = "raw" if found[1] else "blob"
        return f"{found[1]}{found[2]}{url.rstrip('/')}/{kind}/v{version}/{found[3]}"

    return _LINK.sub(replace, readme)


def build(url: str) -> None:
    """Make the sdist and the wheel, and print what identifies them."""
    version, dist = read_version(), ROOT / "dist"
    shutil.rmtree(dist, ignore_errors=True)
    with tempfile.TemporaryDirectory() as folder:
        sources = Path(folder) / "sources"
        shutil.copytree(ROOT, sources, ignore=shutil.ignore_patterns(*_IGNORED))
        readme = sources / "README.md"
        readme.write_text(make_absolute(readme.read_text("utf-8"), url, version), "utf-8")
        project = sources / "pyproject.toml"
        urls = f'Repository = "{url}"\nChangelog = "{url}/blob/v{version}/CHANGELOG.md"\n'
        project.write_text(f"{project.read_text('utf-8')}\n[project.urls]\n{urls}", "utf-8")
        _run("build", "--no-isolation", "--outdir", str(dist), str(sources))
    files = sorted(dist.iterdir())
    _run("twine", "check", "--strict", *map(str, files))
    for each in files:
        print(hashlib.sha256(each.read_bytes()).hexdigest(), each.name)


def _run(module: str, *arguments: str) -> None:
    subprocess.run([sys.executable, "-m", module, *arguments], check=True)  # noqa: S603 -- our own


def main() -> None:
    """Do what the command line says."""
    parser = argparse.ArgumentParser(prog="python -m reference.release", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("notes", help="print the changes of this version")
    commands.add_parser("build", help="make what is uploaded").add_argument(
        "--url", required=True, help="of the repository, as https://forge.example/arc"
    )
    asked = parser.parse_args()
    if asked.command == "build":
        build(asked.url)
    else:
        try:
            print(find_notes((ROOT / "CHANGELOG.md").read_text("utf-8"), read_version()), end="")
        except LookupError as error:
            sys.exit(str(error.args[0]))


if __name__ == "__main__":
    main()
