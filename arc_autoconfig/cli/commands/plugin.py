"""`arc plugin`: packages of one's own."""

import importlib.util
import keyword
import re
import shlex
import shutil
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution, version
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path, PurePosixPath
from string import Template

import click

from arc_autoconfig.cli.main import COMMANDS
from arc_autoconfig.cli.options import wiring_options
from arc_autoconfig.installed import ARC_DISTRIBUTION, installed_entry_points, normalize_name
from arc_core.errors import ConfigurationError

_SUFFIX = ".template"
_WORDS = '.words=["secret"]'
_FORM = re.compile(r"[a-z][a-z0-9]*([._-][a-z0-9]+)*")


@dataclass(frozen=True, slots=True)
class PackageKind:
    """One kind of plugin.

    Attributes:
        name: On the command line; also of the folder of its templates.
        noun: What it is, in a sentence.
        place: The group of its entry points, without `arc.`.
        member: The object's name in its module, or, with a capital, what is put behind the
            package's name for it.
        setting: An example of its settings, `.key=value`; empty when it has none.
    """

    name: str
    noun: str
    place: str
    member: str
    setting: str = ""

    @property
    def module(self) -> str:
        """The name of the module that is written."""
        return self.name.replace("-", "_")

    @property
    def group(self) -> str:
        """The group of its entry points."""
        return f"arc.{self.place}"

    @property
    def is_command(self) -> bool:
        """True for a subcommand, which is not a component."""
        return self.place == "commands"


_ALL = (
    PackageKind("guard", "a guard", "guards", "Guard", _WORDS),
    PackageKind("output-guard", "an output guard", "output_guards", "OutputGuard", _WORDS),
    PackageKind(
        "tool-result-guard",
        "a guard of tool results",
        "tool_result_guards",
        "ToolResultGuard",
        _WORDS,
    ),
    PackageKind("approval-policy", "an approval policy", "approval_policies", "ApprovalPolicy"),
    PackageKind("hook", "a hook", "hooks", "Hook", '.tools=["calculate"]'),
    PackageKind("tool", "a tool", "tools", "count_words"),
    PackageKind("agent", "an agent", "agents", "agent"),
    PackageKind("selector", "a tool selector", "tool_selectors", "ToolSelector"),
    PackageKind("compactor", "a compactor of conversations", "compactors", "Compactor"),
    PackageKind("filter", "a response filter", "response_filters", "ResponseFilter"),
    PackageKind("cache", "a response cache", "response_caches", "ResponseCache", ".max_size=100"),
    PackageKind(
        "manager", "a conversation manager", "conversation_managers", "ConversationManager"
    ),
    PackageKind("store", "a conversation store", "conversation_stores", "ConversationStore"),
    PackageKind("model", "a chat model", "chat_models", "ChatModel"),
    PackageKind("host", "a host of models", "hosts", "Host"),
    PackageKind("retriever", "a retriever", "retrievers", "Retriever"),
    PackageKind("estimator", "a token estimator", "token_estimators", "TokenEstimator"),
    PackageKind("embedder", "an embedder", "embedders", "Embedder"),
    PackageKind("prices", "prices of models", "model_prices", "ModelPrices"),
    PackageKind("budgets", "budgets", "budgets", "Budgets", ".tokens_per_day=1000000"),
    PackageKind("credentials", "credentials of people", "credentials", "Credentials"),
    PackageKind("metrics", "metrics", "agent_metrics", "AgentMetrics"),
    PackageKind("scorer", "a scorer of answers", "scorers", "Scorer"),
    PackageKind("text-mask", "a mask of texts", "text_masks", "TextMask", '.words=["Blue Heron"]'),
    PackageKind("command", "a subcommand", "commands", "command"),
)
KINDS = {kind.name: kind for kind in _ALL}
"""Every kind by its name, the first one without a choice."""


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
            raise ConfigurationError(
                f"{text!r} cannot be used: {problem}",
                remedy="use a name of your own, such as acme-pii",
            )
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
        own = normalize_name(self.distribution)
        if own in {"arc", normalize_name(ARC_DISTRIBUTION)}:
            return "it is Arc's own name"
        if own in map(normalize_name, COMMANDS):
            return f"`arc {own}` is a command of Arc's"
        plugins = (each.name for each in installed_entry_points() if each.is_arcs_own)
        taken = next((name for name in plugins if normalize_name(name) == own), None)
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
        if module == "tests" or importlib.util.find_spec(module) is not None:
            return f"it would be imported as {module}, which exists already"
        return None


@click.group()
@wiring_options
def plugin() -> None:
    """Make a plugin package."""


@plugin.command("new")
@click.argument("name")
@click.option(
    "--kind", "kind_name", type=click.Choice(list(KINDS)), default="guard", show_default=True,
    metavar="KIND", help=f"What the package brings: {', '.join(KINDS)}.",
)  # fmt: skip
@click.option(
    "--in", "parent", type=click.Path(file_okay=False, exists=True, path_type=Path), default=".",
    help="The folder to put it in; the current one without.",
)  # fmt: skip
def _new(*, name: str, kind_name: str, parent: Path) -> None:
    """Write a package with one component that installs, and whose tests pass.

    NAME is the package's, as in acme-pii.
    """
    package, kind = PackageName.parse(name), KINDS[kind_name]
    folder = shlex.quote(str(_write_plugin(package, kind, parent)))
    python = _python()
    click.echo(f"Wrote {folder}. Try it:\n")
    click.echo(f"    {python} -m pip install -e {_with_extra(folder)}")
    click.echo(f"    {python} -m pytest {folder}")
    click.echo(f"    {_look_at(package, kind)}")


def _with_extra(folder: str) -> str:
    return f"{folder[:-1]}[test]'" if folder.endswith("'") else f"'{folder}[test]'"


def _python() -> str:
    """The name of the Python that has Arc: another one would look for Arc on an index."""
    found = shutil.which("python")
    is_this = found is not None and Path(found).parent == Path(sys.executable).parent
    return "python" if is_this else shlex.quote(sys.executable)


def _write_plugin(name: PackageName, kind: PackageKind, parent: Path) -> Path:
    """Write the package into a new folder of its name."""
    folder = parent / name.distribution
    values = _values(name, kind)
    try:
        folder.mkdir()
        for place, text in [*_templates_in("common"), *_templates_in(kind.name)]:
            target = folder / _target(place, name, kind)
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


def _values(name: PackageName, kind: PackageKind) -> Mapping[str, str]:
    is_class = kind.member[0].isupper()
    class_name = name.class_stem + kind.member
    return {
        "distribution": name.distribution,
        "plugin": name.plugin,
        "package": name.module,
        "class_name": class_name,
        "object": class_name if is_class else kind.member,
        "kind": kind.module,
        "noun": kind.noun,
        "group": kind.group,
        "arc_version": version(ARC_DISTRIBUTION),
        "look": _look_at(name, kind),
        "usage": _usage(name, kind),
    }


def _look_at(name: PackageName, kind: PackageKind) -> str:
    """The command that shows that the package is installed."""
    return f"arc {name.plugin} --help" if kind.is_command else "arc conditions"


def _usage(name: PackageName, kind: PackageKind) -> str:
    """The end of the package's page: its settings, and how it is switched off."""
    if kind.is_command:
        return f"`arc {name.plugin} QUESTION` runs it."
    setting = kind.setting.partition("=")
    section = f"[plugins.settings.{name.plugin}]\n{setting[0].lstrip('.')} = {setting[2]}"
    settings = f"Settings, in `arc.toml`:\n\n```toml\n{section}\n```\n\n" if kind.setting else ""
    return (
        f'{settings}To switch it off: `plugins.disabled = ["{name.plugin}"]`, '
        f"or `arc --no-plugin {name.plugin}`."
    )


def _target(place: PurePosixPath, name: PackageName, kind: PackageKind) -> Path:
    written = place.as_posix().removesuffix(_SUFFIX)
    by_template = {
        "gitignore": ".gitignore",
        "component.py": f"{name.module}/{kind.module}.py",
        "test.py": f"tests/test_{kind.module}.py",
    }
    return Path(by_template.get(written) or re.sub(r"^package(?=/)", name.module, written))


def _templates_in(folder: str) -> Iterator[tuple[PurePosixPath, str]]:
    root = files("arc_autoconfig.cli.plugin_package").joinpath("templates", "plugin", folder)
    return _below(root, PurePosixPath())


def _below(folder: Traversable, place: PurePosixPath) -> Iterator[tuple[PurePosixPath, str]]:
    for each in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if each.is_dir():
            yield from _below(each, place / each.name)
        elif each.name.endswith(_SUFFIX):
            yield place / each.name, each.read_text("utf-8")
