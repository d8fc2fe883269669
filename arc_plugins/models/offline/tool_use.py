"""Chooses the tools that a question is about, and fills their arguments from it."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from arc_core import Tool
from arc_plugins.models.offline.question import WORDS, Question, stem_words

_MAX_CALLS = 4
_NAME_WEIGHT = 3
_ENOUGH = 2
_USES = {use: stem_words(words) for use, words in WORDS["parameters"].items()}


def choose_tools(question: Question, tools: Sequence[Tool]) -> list[Tool]:
    """The tools that share enough words with the question, in the order they are offered.

    A word counts the less, the more tools have it. Enough is a word of the name, or two of the
    description; if no tool has enough, the best one with a word of its name will do.
    """
    weights = [
        dict.fromkeys(stem_words(tool.description), 1)
        | dict.fromkeys(stem_words(tool.name), _NAME_WEIGHT)
        for tool in tools
    ]
    frequency = Counter(word for words in weights for word in words)
    scores = [
        sum(words[word] / frequency[word] for word in question.words & words.keys())
        for words in weights
    ]
    chosen = [tool for tool, score in zip(tools, scores, strict=True) if score >= _ENOUGH]
    best = tools[scores.index(max(scores))] if tools else None
    is_named = best is not None and bool(stem_words(best.name) & question.words)
    return chosen or ([best] if best is not None and is_named else [])


def list_arguments(tool: Tool, question: Question) -> list[dict[str, Any]]:
    """The arguments of each call of a tool: one for each place or expression, if it takes one.

    There is none if the question lacks something that the tool requires.
    """
    own_words = stem_words(tool.name)
    known = {
        kind: [value for value in values if not frozenset() < stem_words(str(value)) <= own_words]
        for kind, values in question.found.items()
    }
    fields = _read_schema(tool.parameters)
    kinds = [_find_kind(*field) for field in fields.items()]
    asked = (kind for kind in ("expression", "place") if kinds.count(kind) == 1 and known[kind])
    single = next(asked, None)
    sets = [{**known, single: [one]} for one in known[single]] if single else [known]
    required = frozenset[str](tool.parameters.get("required", ()))
    filled = [_fill(fields, question, each, required=required) for each in sets[:_MAX_CALLS]]
    return [arguments for arguments in filled if required <= arguments.keys()]


def _read_schema(root: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """The fields of a tool; of one that may be null, or is defined elsewhere, what it is else."""
    fields: dict[str, Mapping[str, Any]] = {}
    for name, field in root.get("properties", {}).items():
        options = field.get("anyOf", ()) if isinstance(field, Mapping) else ()
        known = [each for each in (*options, field) if isinstance(each, Mapping)]
        found = next((each for each in known if each.get("type") != "null"), {})
        definition = str(found.get("$ref", "")).rpartition("/")[2]
        defined = root.get("$defs", {}).get(definition, found)
        fields[name] = defined if isinstance(defined, Mapping) else {}
    return fields


def _find_kind(name: str, field: Mapping[str, Any]) -> str:
    """The JSON type, or `choice`; of a text what it is for, `name` if that is unknown."""
    kind = "choice" if field.get("enum") else field.get("type", "string")
    if kind != "string":
        return str(kind)
    texts = map(stem_words, (name, str(field.get("description", ""))))
    return next((use for said in texts for use, words in _USES.items() if words & said), "name")


def _fill(
    fields: Mapping[str, Mapping[str, Any]],
    question: Question,
    known: Mapping[str, Sequence[Any]],
    *,
    required: Collection[str],
) -> dict[str, Any]:
    """The arguments that a question has; each of its values is used once."""
    arguments, left = dict[str, Any](), {kind: list(values) for kind, values in known.items()}
    for name, field in fields.items():
        kind, is_said = _find_kind(name, field), bool(stem_words(name) & question.words)
        found = left.get(kind, [])
        if kind == "choice":
            is_said = any(_is_chosen(each, question) for each in field["enum"])
            found = sorted(field["enum"], key=lambda each: not _is_chosen(each, question))
        elif kind == "boolean":
            found = [is_said]
        elif kind == "text":
            found = [question.text]
        if found and (is_said or name in required or kind in {"expression", "place"}):
            arguments[name] = found[0]
            for values in left.values() if kind in left else ():
                if arguments[name] in values:
                    values.remove(arguments[name])
    return arguments


def _is_chosen(option: object, question: Question) -> bool:
    return not stem_words(str(option)).isdisjoint(question.words)
