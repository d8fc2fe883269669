"""Names for new packages: valid, and not taken by others."""

import importlib.util
import keyword
import re
import sys
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution

from arc_autoconfig.cli.main import COMMANDS
from arc_autoconfig.installed import ARC_DISTRIBUTION, installed_entry_points
from arc_core.errors import ConfigurationError

_FORM = re.compile(r"[a-z][a-z0-9]*([._-][a-z0-9]+)*")
_REMEDY = "use a name of your own, such as acme-pii"
_OWN_TESTS = "tests"
"""The package that the new package's tests are in."""


@dataclass(frozen=True, slots=True)
class PackageName:
    """A name under which a package can be published, installed and imported."""

    distribution: str

    @classmethod
    def parse(cls, text: str) -> "PackageName":
        """Check a name."""
        name = cls(text)
        if not _FORM.fullmatch(text):
            raise ConfigurationError(
                f"{text!r} is not a valid name of a distribution",
                remedy="use small letters and digits, with hyphens between words: acme-pii",
            )
        problem = name._clash_with_arc() or name._clash_with_installed() or name._clash_of_module()
        if problem is not None:
            raise ConfigurationError(f"{text!r} cannot be used: {problem}", remedy=_REMEDY)
        return name

    @property
    def module(self) -> str:
        """As Python imports it, `acme_pii`."""
        return re.sub(r"[.-]", "_", self.distribution)

    @property
    def plugin(self) -> str:
        """As Arc's settings and reports call it, without dots, which would divide their keys."""
        return self.distribution.replace(".", "-")

    @property
    def class_stem(self) -> str:
        """The beginning of the names of its classes, `AcmePii`."""
        return "".join(word.capitalize() for word in self.module.split("_"))

    def _clash_with_arc(self) -> str | None:
        own = _normal(self.distribution)
        if own in {"arc", _normal(ARC_DISTRIBUTION)}:
            return "it is Arc's own name"
        if own in map(_normal, COMMANDS):
            return f"`arc {own}` is a command of Arc's"
        plugins = (each.name for each in installed_entry_points() if each.is_arcs_own)
        taken = next((name for name in plugins if _normal(name) == own), None)
        return f"Arc's own plugin {taken} has this name" if taken else None

    def _clash_with_installed(self) -> str | None:
        try:
            found = distribution(self.distribution)
        except PackageNotFoundError:
            return None
        return f"{found.name} {found.version} is installed, and the new package would replace it"

    def _clash_of_module(self) -> str | None:
        module = self.module
        if keyword.iskeyword(module):
            return f"{module} is a word of Python's and cannot be imported"
        if module in sys.stdlib_module_names:
            return f"it would be imported as {module}, which is a module of Python's own"
        if module == _OWN_TESTS or importlib.util.find_spec(module) is not None:
            return f"it would be imported as {module}, which exists already"
        return None


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
