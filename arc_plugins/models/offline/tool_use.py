"""Chooses the tools that a question is about, and fills their arguments from it."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

from arc_core import Tool
from arc_plugins.models.offline.question import Question
from arc_plugins.models.offline.words import WORDS, stem_words

_NAME_WEIGHT = 3
_ENOUGH = 2
_MAX_CALLS = 4
_MAX_STEPS = 10
_TYPES = ("integer", "number", "boolean", "array", "object")
_USES = {use: stem_words(words) for use, words in WORDS["parameters"].items()}
_SURE_KINDS = _USES.keys() - {"text"}


def tools_for(question: Question, tools: Sequence[Tool]) -> list[Tool]:
    """The tools that share enough words with the question, in the order they are offered.

    A word counts the less, the more tools have it. Enough is a word of the name, or two of the
    description; if no tool has enough, the best one with a word of its name will do.
    """
    vocabularies = [_weighted_words(tool) for tool in tools]
    frequency = Counter(word for words in vocabularies for word in words)
    scores = [
        sum(words[word] / frequency[word] for word in question.words & words.keys())
        for words in vocabularies
    ]
    chosen = [tool for tool, score in zip(tools, scores, strict=True) if score >= _ENOUGH]
    best = tools[scores.index(max(scores))] if tools else None
    if chosen or best is None or not stem_words(best.name) & question.words:
        return chosen
    return [best]


def _weighted_words(tool: Tool) -> dict[str, int]:
    described = dict.fromkeys(stem_words(tool.description), 1)
    return described | dict.fromkeys(stem_words(tool.name), _NAME_WEIGHT)


def argument_sets(tool: Tool, question: Question) -> list[dict[str, Any]]:
    """The arguments of each call of a tool that a question asks for; none if some are missing."""
    own_words = stem_words(tool.name)
    known = {
        kind: [value for value in values if not frozenset() < stem_words(str(value)) <= own_words]
        for kind, values in question.found.items()
    }
    fields = _mapping(tool.parameters.get("properties"))
    fields = {name: _resolve(field, tool.parameters) for name, field in fields.items()}
    kinds = [_find_kind(name, field) for name, field in fields.items()]
    single = [kind for kind in ("expression", "place") if kinds.count(kind) == 1 and known[kind]]
    each = [{**known, kind: [one]} for kind in single[:1] for one in known[kind]] or [known]
    sets = (_Filler(tool, question, values).fill(fields) for values in each[:_MAX_CALLS])
    return [arguments for arguments in sets if arguments is not None]


class _Filler:
    """Fills the fields of a schema; each name and number is used once."""

    def __init__(self, tool: Tool, question: Question, known: Mapping[str, list[Any]]) -> None:
        self._root, self._question = tool.parameters, question
        self._known = {kind: list(values) for kind, values in known.items()}

    def fill(self, fields: Mapping[str, Mapping[str, Any]]) -> dict[str, Any] | None:
        """The fields that are known; None if a required one is not."""
        required, found = _list(self._root.get("required")), dict[str, Any]()
        for name, schema in fields.items():
            is_required = name in required
            value = self._value(name, schema, is_required=is_required)
            if value is not None:
                found[name] = value
            elif is_required:
                return None
        return found

    def _value(self, name: str, schema: Mapping[str, Any], *, is_required: bool) -> Any:
        kind = _find_kind(name, schema)
        is_said = bool(stem_words(name) & self._question.words)
        is_wanted = is_said or is_required or kind in _SURE_KINDS
        match kind:
            case "choice":
                return self._choice(schema, is_required=is_required)
            case "boolean" if is_wanted:
                return is_said
            case "text" if is_wanted:
                return next(iter(self._question.found["quoted"]), self._question.text)
            case "array" if is_wanted:
                kind = _find_kind(name, _resolve(schema.get("items"), self._root))
                return self._known.get(kind or "name", []) or None
        return self._take(*([kind] if kind else ["quoted", "name"])) if is_wanted else None

    def _choice(self, schema: Mapping[str, Any], *, is_required: bool) -> Any:
        options = _list(schema.get("enum")) or [schema.get("const")]
        for option in options:
            pattern = rf"(?<!\w){re.escape(str(option))}(?!\w)"
            if re.search(pattern, self._question.text, re.IGNORECASE):
                return option
        return options[0] if is_required else None

    def _take(self, *kinds: str) -> Any:
        """The first value that is known; it is used up."""
        found = next((value for kind in kinds for value in self._known.get(kind, [])), None)
        for values in self._known.values():
            if found in values:
                values.remove(found)
        return found


def _find_kind(name: str, schema: Mapping[str, Any]) -> str:
    """The JSON type, or `choice`; of a text what it is for, empty if that is unknown."""
    if "const" in schema or _list(schema.get("enum")):
        return "choice"
    kind = schema.get("type")
    types = [each for each in _list(kind) or [kind] if each in _TYPES]
    texts = map(stem_words, (name, str(schema.get("description", ""))))
    uses = (use for said in texts for use, words in _USES.items() if words & said)
    return next(chain(types, uses), "")


def _resolve(schema: object, root: Mapping[str, Any]) -> Mapping[str, Any]:
    """A schema behind its references and alternatives: the first that is not null."""
    for _ in range(_MAX_STEPS):
        found = _mapping(schema)
        options = [each for key in ("anyOf", "oneOf", "allOf") for each in _list(found.get(key))]
        if isinstance(found.get("$ref"), str):
            schema = root
            for name in found["$ref"].removeprefix("#/").split("/"):
                schema = _mapping(schema).get(name)
        elif options and "type" not in found:
            schema = next((each for each in options if _mapping(each).get("type") != "null"), {})
        else:
            return found
    return {}


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []
