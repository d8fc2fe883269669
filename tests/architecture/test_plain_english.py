"""Names, docstrings, comments, messages and pages are plain English."""

from collections import defaultdict
from functools import cache

import pytest

from tests.architecture.house_words import house_words
from tests.architecture.plain_english import (
    findings_in_code,
    findings_in_page,
    participles,
    phrases,
)
from tests.architecture.source import PACKAGES, ROOT, Source, sources

pytestmark = pytest.mark.slow

FOLDERS = (
    *("arc_core", "arc_plugins", "arc_autoconfig"),
    *("benchmarks", "examples", "reference", "tests", "typing_tests"),
)
PAGES = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md")] + [
    page for page in sorted((ROOT / "docs").rglob("*.md")) if page.parent.name != "api"
]
_OWN = "tests/architecture/test_plain_english.py"
HOUSE_WORDS_LEFT = {
    "Entered": 1,
    "finding": 1,
    "news": 5,
    "Passage": 1,
    "Place": 1,
    "shown": 51,
    "told": 45,
}
"""How often names still have a word of the house; lowered with each that goes, never raised."""


@cache
def findings(folder: str) -> tuple[str, ...]:
    """Everything that should be said in other words below a folder."""
    return tuple(
        found
        for source in sources(folder)
        if source.path != _OWN
        for check in ((findings_in_code,) if folder == "tests" else (findings_in_code, participles))
        for found in check(source)
    )


@pytest.mark.parametrize("folder", FOLDERS)
def test_code_is_plain_english(folder: str) -> None:
    """Names, docstrings, messages and comments."""
    assert findings(folder) == ()


def test_words_of_the_house_do_not_come_back() -> None:
    """Modules, classes, attributes, arguments and variables have the field's words."""
    places = defaultdict[str, list[str]](list)
    for source in sources(*PACKAGES):
        for word, finding in house_words(source):
            places[word].append(finding)

    more = [
        finding
        for word, each in places.items()
        if len(each) > HOUSE_WORDS_LEFT.get(word, 0)
        for finding in each
    ]
    assert more == []


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a/asked.py", ""),
        ("a/b.py", "class Purse: ..."),
        ("a/b.py", "def f(told): ..."),
        ("a/b.py", "self._lets_go = True"),
        ("a/b.py", "for shown in texts: ..."),
        ("a/b.py", "async def flaw_of(x): ..."),
    ],
)
def test_a_word_of_the_house_is_found(path: str, text: str) -> None:
    """In whatever a file gives a name to."""
    assert len(list(house_words(Source(path, text)))) == 1


def test_words_are_left_alone_where_they_say_what_is_meant() -> None:
    """What is read from elsewhere is not named here, and `missing` names values well."""
    text = "missing = reply.told\nplace = Purse(life=1)\nclass Purses: ..."

    assert list(house_words(Source("a/b.py", text))) == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_a_page_is_plain_english(page: object) -> None:
    """What people read is held to the same words; code in it is not looked at."""
    path = ROOT / str(page)

    assert list(findings_in_page(path.name, path.read_text("utf-8"))) == []


@pytest.mark.parametrize(
    "text",
    [
        "Nobody has it.",
        "for whoever asks",
        "somebody's session",
        "the value is no number",
        "these are no tools",
        "None where it is missing",
        "closed, where there is one",
        "Where nothing fits, all are offered.",
        "no end after 0.5 s",
    ],
)
def test_a_phrase_is_found(text: str) -> None:
    """Each of these has plainer words."""
    assert list(phrases(text))


@pytest.mark.parametrize(
    "text",
    [
        "there is no event loop",
        "is no longer there",
        "the value is not a number",
        "where settings come from",
        "the folder where it is kept",
        "whatever came of it",
        "Where Redis is",
    ],
)
def test_ordinary_english_is_left_alone(text: str) -> None:
    """Words that only look like the phrases pass."""
    assert list(phrases(text)) == []


@pytest.mark.parametrize("name", ["_checked", "examined", "told", "_joined"])
def test_a_participle_is_found(name: str) -> None:
    """A function does something; its name says what."""
    assert list(participles(Source("a.py", f"def {name}() -> str: ...")))


@pytest.mark.parametrize(
    "text",
    [
        "def embed(): ...",
        "def masked_arguments(): ...",
        "@property\ndef used(self): ...",
        "def _denied(text) -> bool: ...",
    ],
)
def test_names_of_values_are_left_alone(text: str) -> None:
    """Verbs, noun phrases, properties, and answers to yes or no."""
    assert list(participles(Source("a.py", text))) == []


def test_names_and_messages_are_looked_at() -> None:
    """Words of a name, comments, docstrings and messages; in tests no messages."""
    head = 'def ask_nobody():\n    """For whoever asks."""\n'
    text = f'{head}    # nobody\n    raise E("is no number")\n'

    assert len(list(findings_in_code(Source("package/a.py", text)))) == 4
    assert len(list(findings_in_code(Source("tests/a.py", text)))) == 3
