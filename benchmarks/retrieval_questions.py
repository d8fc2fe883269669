"""Passages from the docstrings of installed packages, and questions about them, made by rules.

A passage is the docstring of a function or class. Half of the questions name a rare word of a
passage, one that stands in no other, beside a word of it that stands in many. The other half
paraphrase the beginning of a passage: each word that fewer than one passage of ten has is put into
another form ("validates" becomes "validating"), else replaced by a synonym, else left out, so that
no telling word is in both. No model takes part, and the same packages give the same questions.
"""

import ast
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from random import Random

from arc_core.retrieval.passages import Passage
from arc_core.text.terms import split_terms

PACKAGES = (
    "sqlalchemy",
    "aiohttp",
    "click",
    "hypothesis",
    "pydantic",
    "rich",
    "starlette",
    "numpy",
)

_SYNONYMS = """
accept take|access reach|add append|additional extra|allow permit|already beforehand
apply enforce|argument parameter|array vector|attribute member|automatically unattended
available usable|await pending|behavior conduct|body payload|boolean logical|build assemble
byte octet|cache buffer|call invoke|callable invocable|cannot unable|change modify|character letter
check verify|class kind|client customer|close shut|collection bunch|column pillar
command instruction
compare contrast|compute calculate|configuration setup|connection link|construct assemble
contain hold|content substance|context circumstance|convert transform|copy duplicate|create make
current present|custom bespoke|data information|database store|default standard|define declare
delete erase|describe explain|detail particular|dictionary map|different distinct|directory folder
directly immediately|disable deactivate|display show|document paper|element component|empty blank
enable activate|end finish|ensure guarantee|entry record|environment surroundings|equal identical
error mistake|event occurrence|example illustration|exception failure|execute perform|exist occur
expect anticipate|expression formula|fail break|field slot|file document|find locate|first initial
float decimal|form shape|format layout|full complete|function routine|generate produce|get obtain
given supplied|group cluster|handle manage|header heading|identifier label|ignore skip
implement realize|import load|include incorporate|index position|information knowledge
initialize prepare|input entry|insert place|instance exemplar|integer number|invalid wrong
iterate loop|key identifier|keyword term|last final|length extent|level tier|limit bound|line row
list enumeration|load fetch|local nearby|log record|loop cycle|match correspond|maximum most
memory storage|message notice|method procedure|minimum least|missing absent|mode manner
modify alter|module unit|multiple several|name title|need require|new fresh|notify inform
number count|object thing|open unlock|operation action|option choice|optional voluntary
order sequence|output outcome|override replace|page sheet|parameter argument|parent ancestor
parse interpret|pass hand|path location|pattern template|perform execute|point spot|prevent stop
print write|process treat|provide supply|query question|raise throw|random arbitrary|range span
read consume|receive obtain|record entry|reference pointer|register enroll|relative comparative
remove delete|render draw|replace substitute|represent depict|request demand|require need
reset restore|resource asset|response reply|result outcome|return give|row line|run execute
sample specimen|save keep|schema blueprint|search look|select choose|send transmit|sequence series
server host|session sitting|set assign|shape form|show display|similar alike|single sole
size magnitude|source origin|specific particular|specified stated|split divide|start begin
state condition|statement sentence|stop halt|store keep|stream flow|string text|style appearance
support assist|table grid|target goal|task job|temporary provisional|test trial|text wording
time moment|timeout deadline|token symbol|transaction deal|tree hierarchy|true correct|type kind
union combination|unique distinctive|update refresh|use employ|user person|valid acceptable
validate check|value quantity|variable placeholder|version release|wait pause|warning caution
width breadth|work function|write put|yield produce
"""
SYNONYMS: Mapping[str, str] = {
    word: other
    for word, _, other in (pair.partition(" ") for pair in re.split(r"[|\n]", _SYNONYMS.strip()))
}

_ENDINGS = {"ing": "ed", "ed": "ing", "tion": "ting", "ly": "", "e": "ing"}
"""Other forms of words; enough of them are right."""

_MAX_CHARS = 1_200
_LEAST_CHARS = 120
_LEAST_REPLACED = 8
_MOST_WORDS = 40
_COMMON = 0.1
"""The share of passages from which on a word tells nothing."""

_WORD = re.compile(r"[A-Za-z]+")
_NAME = re.compile(r"[a-z]{5,}")


@dataclass(frozen=True, slots=True)
class Question:
    """A question, and the place of the passage that it was made from."""

    text: str
    answer: int
    is_paraphrase: bool


def make_passages(packages: Sequence[str] = PACKAGES) -> list[Passage]:
    """Return the docstrings of packages, each once, in the order of their files."""
    texts = {text: name for package in packages for name, text in _read_docstrings(package)}
    return [Passage(name, text) for text, name in texts.items()]


def _read_docstrings(package: str) -> Iterator[tuple[str, str]]:
    spec = find_spec(package)
    folders = () if spec is None else spec.submodule_search_locations or ()
    for file in sorted(file for folder in folders for file in Path(folder).rglob("*.py")):
        if "tests" in file.parts:
            continue
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                text = (ast.get_docstring(node) or "")[:_MAX_CHARS]
                if len(text) >= _LEAST_CHARS:
                    yield f"{package} > {node.name}", text


def make_questions(passages: Sequence[Passage], count: int) -> list[Question]:
    """Return so many questions, half of each kind, in any order."""
    draw = Random(31)
    terms = [set(split_terms(passage.with_heading)) for passage in passages]
    frequencies = Counter(term for each in terms for term in each)
    common = {term for term, found in frequencies.items() if found > _COMMON * len(passages)}
    places = draw.sample(range(len(passages)), len(passages))
    paraphrases = (
        Question(text, place, is_paraphrase=True)
        for place in places
        if (text := _paraphrase(passages[place], terms[place] - common, common))
    )
    name = partial(_name_rare_word, frequencies=frequencies, common=common, draw=draw)
    names = (
        Question(text, place, is_paraphrase=False)
        for place in places
        if (text := name(passages[place]))
    )
    questions = [next(kind) for _ in range(count // 2) for kind in (paraphrases, names)]
    draw.shuffle(questions)
    return questions


def _paraphrase(passage: Passage, telling: set[str], common: set[str]) -> str | None:
    """Return the beginning in other words; None if too little of it can be said with them."""
    words, replaced = list[str](), 0
    for word in _WORD.findall(passage.text.lower()):
        [term] = split_terms(word)
        other = _inflect(term) or SYNONYMS.get(term, "") if term in telling else word
        if other and not telling & set(split_terms(other)):
            words.append(other)
            replaced += term in telling
    return " ".join(words[:_MOST_WORDS]) if replaced >= _LEAST_REPLACED else None


def _inflect(word: str) -> str:
    """Return another form of a word; empty if no rule has one."""
    for ending, other in _ENDINGS.items():
        if word.endswith(ending) and len(word) > len(ending) + 3:
            return word.removesuffix(ending) + other
    return ""


def _name_rare_word(
    passage: Passage, *, frequencies: Mapping[str, int], common: set[str], draw: Random
) -> str | None:
    """Return a question for a word that stands nowhere else; None if there is none."""
    words = [word for word in dict.fromkeys(_NAME.findall(passage.text)) if word in frequencies]
    rare = [word for word in words if frequencies[word] == 1]
    others = [word for word in words if word in common]
    if not (rare and others):
        return None
    return f"How is {draw.choice(rare)} used with {draw.choice(others)}?"
