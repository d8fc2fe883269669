"""What must stand in no file of the repository."""

import re
import subprocess

import pytest

from tests.architecture.source import ROOT

# The brackets keep this file from finding itself.
FORBIDDEN = re.compile(
    r"""(?i: pypi[.]org | pythonhoste[d] | npmj[s][.] | deb[.]debian )
    | (?<![\w.]) / (work|farm|root|home) /
    | \b (TOD[O] | FIXM[E]) \b
    | pragma[:][ ]no[ ]cover
    | type[:][ ]ignore \s*$ | noq[a] \s*$
    """,
    re.MULTILINE | re.VERBOSE,
)

# As their authors publish them; highlight.js knows the words for notes, to colour them.
OF_OTHERS = {"LICENSE", "arc_plugins/surfaces/page/data/highlight.js"}


def tracked() -> list[str]:
    """The files under version control; none in a tree without one, such as an unpacked archive."""
    listing = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    return listing.stdout.splitlines()


@pytest.mark.slow
def test_nothing_names_a_registry_or_a_machine() -> None:
    """No registry's host, no path of a machine, no note to oneself, no blanket exemption."""
    findings = {
        f"{name}: {match.group()}"
        for name in tracked()
        if (ROOT / name).is_file() and name not in OF_OTHERS
        for match in FORBIDDEN.finditer((ROOT / name).read_text("utf-8", errors="replace"))
    }

    assert findings == set()


@pytest.mark.parametrize(
    "text",
    [
        "https://files.python~hosted.example/x",
        "https://py~pi.org/simple",
        "see /ho~me/x",
        "# TO~DO: later",
        "x = y  # type~: ignore",
        "import x  # no~qa\n",
        "if x:  # pragma~: no cover",
    ],
)
def test_each_pattern_finds_its_sample(text: str) -> None:
    """The search sees what it is there to see."""
    assert FORBIDDEN.search(text.replace("~", ""))


@pytest.mark.parametrize(
    "text", ["x = y  # type: ignore[misc]", "a/root/b", "works/home", "todo el texto"]
)
def test_ordinary_text_is_left_alone(text: str) -> None:
    """Exemptions with a code and folders of other names pass."""
    assert not FORBIDDEN.search(text)
