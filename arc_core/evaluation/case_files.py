"""Cases from files of TOML or JSON, with the place of whatever is wrong in one.

Those of recordings have what was asked, and what the run has done as an expectation to edit.
"""

import json
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from arc_core.cases import DEFAULT_REQUIRED, Case, Rate
from arc_core.engine.journal.records import ToolStep
from arc_core.errors import ConfigurationError
from arc_core.messages import AssistantMessage, SystemMessage, UserMessage
from arc_core.recordings import read_steps
from arc_core.result import AgentResult
from arc_core.runs.journal import Recording
from arc_core.text.names import nearest

_SUFFIXES = (".toml", ".json")
_ONE = ("prompt", "messages")
"""The keys that only a file of a single case has at its top."""

_ROLES = {UserMessage: "user", AssistantMessage: "assistant", SystemMessage: "system"}


class CaseSet(BaseModel):
    """Cases of one file, or cases that a program has put together.

    Attributes:
        name: Of the file, without its ending.
        judge: Whether there is a verdict about each case, or one about all of them together.
        required: The pass rate of the set, and of the cases that say none.
        cases: In their order.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = "cases"
    judge: Literal["each", "together"] = "each"
    required: Rate = DEFAULT_REQUIRED
    cases: tuple[Case, ...] = Field(min_length=1)


def read_case_sets(places: Iterable[str | Path]) -> tuple[CaseSet, ...]:
    """Return the cases of files, and of all files of TOML and JSON in folders.

    Raises:
        ConfigurationError: A file cannot be read, or says something that no case can.
    """
    return tuple(read_case_set(file) for place in places for file in _find_files(Path(place)))


def read_case_set(file: Path) -> CaseSet:
    """Return the cases of a file.

    Raises:
        ConfigurationError: It cannot be read, or says something that no case can.
    """
    table = _read_table(file)
    try:
        return CaseSet.model_validate(_complete(table, file.stem))
    except ValidationError as error:
        raise _explain(error, str(file), is_single=_is_single(table)) from None


def _find_files(place: Path) -> Iterator[Path]:
    if not place.is_dir():
        yield place
        return
    found = sorted(each for each in place.iterdir() if each.suffix in _SUFFIXES)
    if not found:
        raise ConfigurationError(
            f"the folder {place} has no cases",
            evidence=["they are files that end with .toml or .json"],
            remedy="name another folder, or write a case into it",
        )
    yield from found


def _read_table(file: Path) -> dict[str, Any]:
    try:
        text = file.read_text("utf-8")
        table = tomllib.loads(text) if file.suffix == ".toml" else json.loads(text)
    except OSError as error:
        raise ConfigurationError(
            f"the file of cases {file} cannot be read",
            evidence=[error.strerror or type(error).__name__],
            remedy="name a file of TOML or JSON, or a folder of such files",
        ) from error
    except (UnicodeDecodeError, RecursionError):
        raise _make_error(file, "it is not a text in UTF-8, or is nested too deeply") from None
    except ValueError as error:  # says line and column
        raise _make_error(file, str(error)) from error
    if not isinstance(table, dict):
        raise _make_error(file, "it is not an object")
    return table


def _make_error(file: Path, problem: str) -> ConfigurationError:
    form = "TOML" if file.suffix == ".toml" else "JSON"
    return ConfigurationError(
        f"the file of cases {file} is not {form}", evidence=[problem], remedy="correct it there"
    )


def _is_single(table: Mapping[str, Any]) -> bool:
    return "cases" not in table and any(key in table for key in _ONE)


def _complete(table: dict[str, Any], stem: str) -> dict[str, Any]:
    """Return the table of a set, with what all its cases share laid under each."""
    if _is_single(table):
        single = {"name": stem, **table}
        shared = {"required": table["required"]} if "required" in table else {}
        return {"name": stem, "cases": [single], **shared}
    table = {"name": stem, **table}
    shared = {key: table.pop(key) for key in ("agent", "deps") if key in table}
    if "required" in table:
        shared["required"] = table["required"]
    cases = table.get("cases")
    if isinstance(cases, list):
        table["cases"] = [
            {"name": f"{stem}-{number}", **shared, **each} if isinstance(each, dict) else each
            for number, each in enumerate(cases, 1)
        ]
    return table


def _explain(error: ValidationError, file: str, *, is_single: bool) -> ConfigurationError:
    """Return the first flaw with its place; a key that does not exist comes before others."""
    errors = error.errors(include_url=False, include_input=False)
    first = next((each for each in errors if each["type"] == "extra_forbidden"), errors[0])
    *above, key = first["loc"] or ("",)
    place = _place([*above, key], is_single=is_single)
    if first["type"] == "extra_forbidden":
        known = _known_keys(above)
        close = nearest(str(key), known)
        return ConfigurationError(
            f"{file}: there is no key {place}",
            evidence=[f"known keys: {', '.join(known)}"],
            remedy=f"write {close}" if close else "remove it, or use a known key",
        )
    return ConfigurationError(
        f"{file}: {place or 'the file'} is wrong",
        evidence=[first["msg"].removeprefix("Value error, ")],
        remedy="correct it there; docs/testing-agents.md has every key",
    )


def _place(steps: list[Any], *, is_single: bool) -> str:
    if is_single and steps[:1] == ["cases"]:
        steps = steps[2:]
    text = ""
    for step in steps:
        text += f"[{step + 1}]" if isinstance(step, int) else f".{step}"
    return text.lstrip(".")


def _known_keys(above: list[Any]) -> list[str]:
    """Return the keys of the table at a place."""
    model: Any = CaseSet
    for step in above:
        if isinstance(step, str):
            model = _find_model(model.model_fields[step].annotation)
    keys = [*model.model_fields]
    return list(dict.fromkeys((*keys, *Case.model_fields))) if model is CaseSet else keys


def _find_model(annotation: Any) -> Any:
    """Return the model in an annotation such as `tuple[Case, ...]`."""
    parts = (annotation, *getattr(annotation, "__args__", ()))
    return next(each for each in parts if isinstance(each, type) and issubclass(each, BaseModel))


def write_cases(recordings: Iterable[Recording]) -> dict[str, Any]:
    """Return the table of a file of cases, as JSON has it, one case for each recording.

    A case expects that the same tools are called in the same order, and that the run ends as it
    did. What the answer has to say is left to the people who edit it.

    Raises:
        FormError: A step of a recording cannot be read.
    """
    return {"cases": [_write_case(each) for each in recordings]}


def make_case(recording: Recording) -> Case:
    """Return the case of one recording.

    Raises:
        FormError: A step of it cannot be read.
    """
    return Case.model_validate(_write_case(recording))


def _write_case(recording: Recording) -> dict[str, Any]:
    steps = sorted(
        (step for step in read_steps(recording) if not step.key.place),
        key=lambda step: step.key.number,
    )
    called = [step.value.result.name for step in steps if isinstance(step.value, ToolStep)]
    ends = [step.value for step in steps if isinstance(step.value, AgentResult)]
    expect: dict[str, Any] = {"tools": {"in_order": called}} if called else {}
    if ends and ends[0].error_code is not None:
        expect["result"] = ends[0].error_code.value
    case = {"name": recording.run_id, **_write_question(recording), "expect": expect}
    if recording.command.agent is not None:
        case["agent"] = recording.command.agent
    Case.model_validate(case)
    return case


def _write_question(recording: Recording) -> dict[str, Any]:
    command = recording.command
    earlier = [
        {"role": _ROLES[type(each)], "content": each.text}
        for each in command.conversation_history
        if isinstance(each, UserMessage | AssistantMessage | SystemMessage) and each.text
    ]
    if not earlier:
        return {"prompt": command.user_prompt}
    return {"messages": [*earlier, {"role": "user", "content": command.user_prompt}]}
