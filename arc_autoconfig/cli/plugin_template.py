"""Writes a new plugin package: one that installs, with tests that pass."""

import importlib.util
import keyword
import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import version
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path, PurePosixPath
from string import Template

from arc_autoconfig.candidates import ARC_DISTRIBUTION
from arc_core.errors import ConfigurationError

__all__ = ["PackageName", "write_plugin"]

_FORM = re.compile(r"[a-z][a-z0-9]*([._-][a-z0-9]+)*")
_SUFFIX = ".template"


@dataclass(frozen=True, slots=True)
class PackageName:
    """A name under which a package can be published and imported.

    Attributes:
        distribution: As pip knows it, `acme-pii`.
    """

    distribution: str

    @classmethod
    def parse(cls, text: str) -> "PackageName":
        """Check a name.

        Raises:
            ConfigurationError: No package can have it, or another package has it.
        """
        name = cls(text)
        if not _FORM.fullmatch(text) or keyword.iskeyword(name.module):
            raise ConfigurationError(
                f"{text!r} is no name of a package",
                remedy="use small letters and digits, with hyphens between words: acme-pii",
            )
        if importlib.util.find_spec(name.module) is not None:
            raise ConfigurationError(
                f"{text!r} would be imported as {name.module}, which exists already",
                remedy="use a name of your own, such as acme-pii",
            )
        return name

    @property
    def module(self) -> str:
        """As Python imports it, `acme_pii`."""
        return re.sub(r"[.-]", "_", self.distribution)

    @property
    def class_name(self) -> str:
        """The guard's class, `AcmePiiGuard`."""
        return "".join(word.capitalize() for word in self.module.split("_")) + "Guard"


def write_plugin(name: PackageName, parent: Path) -> Path:
    """Write the package into a new folder of its name.

    Returns:
        The folder.

    Raises:
        ConfigurationError: The folder exists, or cannot be written.
    """
    folder = parent / name.distribution
    values = {
        "distribution": name.distribution,
        "package": name.module,
        "class_name": name.class_name,
        "arc_version": version(ARC_DISTRIBUTION),
    }
    try:
        folder.mkdir()
        for place, text in _templates():
            target = folder / _target(place, name)
            target.parent.mkdir(exist_ok=True)
            target.write_text(Template(text).substitute(values), "utf-8")
    except FileExistsError:
        raise ConfigurationError(
            f"{folder} exists already", remedy="choose another name, or remove it"
        ) from None
    except OSError as error:
        raise ConfigurationError(
            f"{folder} cannot be written", evidence=[str(error)], remedy="use --in with a folder"
        ) from error
    return folder


def _target(place: PurePosixPath, name: PackageName) -> Path:
    written = place.as_posix().removesuffix(_SUFFIX)
    if written == "gitignore":
        return Path(".gitignore")
    return Path(re.sub(r"^package(?=/)", name.module, written))


def _templates() -> Iterator[tuple[PurePosixPath, str]]:
    root = files("arc_autoconfig.cli").joinpath("templates", "plugin")
    yield from _below(root, PurePosixPath())


def _below(folder: Traversable, place: PurePosixPath) -> Iterator[tuple[PurePosixPath, str]]:
    for each in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if each.is_dir():
            yield from _below(each, place / each.name)
        elif each.name.endswith(_SUFFIX):
            yield place / each.name, each.read_text("utf-8")
