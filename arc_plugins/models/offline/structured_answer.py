"""Puts a JSON answer together that has the form of a schema."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from arc_plugins.models.offline.answer import Exchange
from arc_plugins.models.offline.json_schema import properties_of, resolved, type_of
from arc_plugins.models.offline.question import Question

__all__ = ["json_answer"]

_MAX_DEPTH = 8


def json_answer(
    text: str,
    *,
    schema: Mapping[str, Any] | None,
    question: Question,
    exchanges: Sequence[Exchange],
) -> str:
    """A JSON document, which is YAML too; without a schema an object with the field `answer`.

    Fields are filled from results and arguments of the same name, then from the numbers of results
    and question, else with the answer's text.
    """
    if schema is None:
        return json.dumps({"answer": text}, ensure_ascii=False)
    facts = _facts(exchanges)
    numbers = [*_numbers(facts), *map(float, question.numbers)]
    value = _Writer(schema, text=text, facts=facts, numbers=numbers).value("", schema, depth=0)
    return json.dumps(value, ensure_ascii=False)


def _facts(exchanges: Sequence[Exchange]) -> dict[str, Any]:
    """Arguments and results by name; a result that is no object goes by its tool's name."""
    facts: dict[str, Any] = {}
    for exchange in exchanges:
        value = exchange.value
        facts |= exchange.arguments
        facts |= value if isinstance(value, dict) else {exchange.call.name: value}
    return facts


def _numbers(facts: Mapping[str, Any]) -> list[float]:
    return [value for value in facts.values() if isinstance(value, int | float)]


class _Writer:
    """Writes the least value that fits a schema and says something."""

    def __init__(
        self,
        root: Mapping[str, Any],
        *,
        text: str,
        facts: Mapping[str, Any],
        numbers: Sequence[float],
    ) -> None:
        self._root, self._text, self._facts, self._numbers = root, text, facts, numbers

    def value(self, name: str, schema: object, *, depth: int) -> Any:
        form = resolved(schema, self._root)
        for source in (schema, form):
            for key in ("const", "default"):
                if isinstance(source, Mapping) and key in source:
                    return source[key]
        if form.get("enum"):
            return form["enum"][0]
        match type_of(form):
            case "object":
                return self._object(form, depth=depth)
            case "array":
                count = int(form.get("minItems", 0)) if depth < _MAX_DEPTH else 0
                return [self.value(name, form.get("items"), depth=depth + 1) for _ in range(count)]
            case kind:
                return self._scalar(name, kind, form)

    def _object(self, form: Mapping[str, Any], *, depth: int) -> dict[str, Any]:
        if depth >= _MAX_DEPTH:
            return {}
        fields = properties_of(form).items()
        return {name: self.value(name, field, depth=depth + 1) for name, field in fields}

    def _scalar(self, name: str, kind: str, form: Mapping[str, Any]) -> Any:
        fact = self._facts.get(name)
        match kind:
            case "integer" | "number":
                known = fact if isinstance(fact, int | float) else next(iter(self._numbers), 0)
                number = max(known, form.get("minimum", known))
                number = min(number, form.get("maximum", number))
                return int(number) if kind == "integer" else number
            case "boolean":
                return fact is True
            case "null":
                return None
        text = fact if isinstance(fact, str) else self._text
        return text[: form.get("maxLength")]
